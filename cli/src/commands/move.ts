import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { refuseUnfinishedImport, temporaryPrefix } from '@rollcall/application';
import type { ExportManifest } from '@rollcall/adapters';
import { temporaryFolders } from '@rollcall/host';
import { Option } from 'commander';
import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import { readConfig, type CliConfig } from '../config.js';
import { answer } from '../output.js';
import { Refusal, WrongUse } from '../refusal.js';
import { alone, requireData, withBareLog } from '../session.js';
import { exportWithBar } from './audit-export.js';
import { importInto } from './audit-import.js';

const kinds = ['embedded', 'eventstoredb'] as const;

interface MoveOptions {
  readonly from: (typeof kinds)[number];
  readonly to: (typeof kinds)[number];
  readonly json?: boolean;
}

const onLog = (io: CliIo, kind: string): CliConfig => readConfig({ ...io.env, EVENT_LOG: kind });

/** What was appended since the export would be missing. */
async function refuseGoneOn(io: CliIo, source: CliConfig, { lastPosition }: ExportManifest): Promise<void> {
  await withBareLog(io, source, async (log) => {
    if (String(await log.lastPosition()) !== lastPosition)
      throw new Refusal('The log went on while it was moved: stop all processes, and run the same again.');
  });
}

/** The source is left as it is; an interrupted move is continued by the same call. */
async function move(io: CliIo, options: MoveOptions): Promise<void> {
  const { from, to } = options;
  if (from === to) throw new WrongUse('--from and --to are two different ones of embedded and eventstoredb.');
  if (from === 'embedded') requireData(onLog(io, from));
  await alone(io, onLog(io, 'embedded'), () => moveAlone(io, options));
}

/** Through an export in the data folder. A start removes what a killed move has left of it. */
async function moveAlone(io: CliIo, { from, to, json = false }: MoveOptions): Promise<void> {
  const [source, target] = [onLog(io, from), onLog(io, to)];
  const folder = join(source.adapters.dataDir, `${temporaryPrefix}move`);
  const remove = () => rm(folder, { recursive: true, force: true });
  temporaryFolders.add(folder);
  const beforeEnd = (manifest: ExportManifest): Promise<void> => refuseGoneOn(io, source, manifest);
  await remove();
  const exporting = withBareLog(io, source, async (log) => {
    await refuseUnfinishedImport(log);
    await exportWithBar(io, log, { to: folder });
  });
  const importing = exporting.then(() => importInto(io, target, { from: folder, beforeEnd }));
  // Personal data.
  const { streams, events, installationId } = await importing.finally(remove);
  await answer(io, json, { from, to, installationId, events, streams }, [
    `${events} events of ${streams} streams are on ${to} now. The log on ${from} is left as it was: start nothing on it.`,
    `Next, with EVENT_LOG=${to}: rollcall projections rebuild, then rollcall audit verify, then start the processes.`,
  ]);
}

const kindOption = (flag: string, description: string): Option =>
  new Option(`${flag} <log>`, description).choices(kinds).makeOptionMandatory();

export function addCommands(command: Command, io: CliIo): void {
  command
    .addOption(kindOption('--from', 'where the events are'))
    .addOption(kindOption('--to', 'where they are to be'))
    .json()
    .examples('rollcall move --from embedded --to eventstoredb')
    .action((options: MoveOptions) => move(io, options));
}
