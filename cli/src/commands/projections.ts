import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import { projectionsRebuild } from './projections-rebuild.js';
import { projectionsStatus } from './projections-status.js';

export function addCommands(projections: Command, io: CliIo): void {
  projections
    .command('status')
    .description('how far the read models are behind the log, and which streams have stopped')
    .json()
    .examples('rollcall projections status')
    .action(({ json = false }: { json?: boolean }) => projectionsStatus(io, json));
  projections
    .command('rebuild')
    .description('build the read models anew beside the live ones, then switch to them')
    .json()
    .examples('rollcall projections rebuild')
    .action(({ json = false }: { json?: boolean }) => projectionsRebuild(io, json));
}
