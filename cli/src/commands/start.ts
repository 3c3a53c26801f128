import { Argument } from 'commander';
import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import { keepCalls, keepCallsVariable, type KeepCalls } from '../options/keep-calls.js';

const parts = ['api', 'projector', 'worker'];

export function addCommands(command: Command, io: CliIo): void {
  command
    .addArgument(
      new Argument('[part]', 'one part as a process of its own; without it all in one').choices(parts),
    )
    .addOption(keepCalls())
    .examples('rollcall start', 'rollcall start worker')
    .action((part: string | undefined, options: KeepCalls) => {
      // The part reads the environment of this process.
      Object.assign(io.env, keepCallsVariable(options));
      io.start(part ?? 'standalone');
    });
}
