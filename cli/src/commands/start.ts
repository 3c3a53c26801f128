import { Argument } from 'commander';
import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import { refuseCopy } from '../session.js';
import { keepCalls, keepCallsVariable, type KeepCalls } from '../options/keep-calls.js';

const parts = ['api', 'projector', 'worker'];

export function addStartCommand(command: Command, io: CliIo): void {
  command
    .addArgument(
      new Argument('[part]', 'one part as a process of its own; without it all in one').choices(parts),
    )
    .addOption(keepCalls())
    .examples('rollcall start', 'rollcall start worker')
    .action((part: string | undefined, options: KeepCalls) => {
      if ((io.env['EVENT_LOG'] || 'embedded') === 'embedded') refuseCopy(io.env['DATA_DIR'] || './data');
      // The part reads the environment of this process.
      Object.assign(io.env, keepCallsVariable(options));
      io.start(part ?? 'standalone');
    });
}
