import type { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { examples } from '../help.js';
import { projectionsRebuild } from './projections-rebuild.js';
import { projectionsStatus } from './projections-status.js';

interface Options {
  readonly json?: boolean;
}

export function addProjectionCommands(projections: Command, io: CliIo): void {
  projections
    .command('status')
    .description('how far the read models are behind the log, and which streams have stopped')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('rollcall projections status'))
    .action(({ json = false }: Options) => projectionsStatus(io, json));
  projections
    .command('rebuild')
    .description('build the read models anew beside the live ones, then switch to them')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('rollcall projections rebuild'))
    .action(({ json = false }: Options) => projectionsRebuild(io, json));
}
