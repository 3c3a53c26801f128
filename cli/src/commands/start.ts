import { Argument, type Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { examples } from '../help.js';

const parts = ['api', 'projector', 'worker'];

export function addStartCommand(command: Command, io: CliIo): void {
  command
    .addArgument(
      new Argument('[part]', 'one part as a process of its own; without it all in one').choices(parts),
    )
    .addHelpText('after', examples('rollcall start', 'rollcall start worker'))
    .action((part?: string) => io.start(part ?? 'standalone'));
}
