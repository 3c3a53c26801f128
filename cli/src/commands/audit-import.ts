import {
  checkExport,
  exportedEvents,
  keysOfLog,
  readExportManifest,
  type ExportManifest,
} from '@rollcall/adapters';
import { finishImport, importEvents, isImported, type EventLog } from '@rollcall/application';
import type { CliIo } from '../cli-io.js';
import { readConfig, type CliConfig } from '../config.js';
import { answer } from '../output.js';
import { type ProgressBar, progressBar, withBar, withLogBar } from '../progress-bar.js';
import { Refusal } from '../refusal.js';
import { withBareLog } from '../session.js';

export interface ImportOptions {
  readonly from: string;
  readonly verifyOnly?: boolean;
  readonly json?: boolean;
}

async function checked(io: CliIo, from: string, manifest: ExportManifest) {
  const bar = progressBar(io, BigInt(manifest.events), 'of the export, checked');
  return withBar(bar, (show) => checkExport(from, manifest, (events) => show(BigInt(events))));
}

/**
 * Into an empty log whose digest key lies beside it already. Nothing is written before all of the export was checked; an
 * interrupted import is continued by the same call, and one that has ended is answered again. `beforeEnd` may still refuse.
 */
export async function importInto(
  io: CliIo,
  config: CliConfig,
  {
    from,
    beforeEnd,
  }: { readonly from: string; readonly beforeEnd?: (manifest: ExportManifest) => Promise<void> },
): Promise<ExportManifest & { readonly streams: number }> {
  const manifest = await readExportManifest(from);
  const { company } = manifest;
  if (company !== null)
    throw new Refusal(
      `The export in ${from} is of company ${company} alone, without users and other companies: it can be verified ` +
        'with --verify-only. Take an export with --all to import it.',
    );
  await keysOfLog(config.keyFolder, manifest.keyCheck);
  const { streams, sum } = await checked(io, from, manifest);
  await withBareLog(io, config, async (log) => {
    const compared = <T>(work: (onRead: ProgressBar['show']) => Promise<T>): Promise<T> =>
      withLogBar({ io, log }, work, 'of the log, compared');
    const isThere = await compared((onRead) => isImported(log, sum, onRead));
    if (!isThere) await copied(io, log, { from, manifest });
    await beforeEnd?.(manifest);
    if (!isThere) await compared((onRead) => finishImport(log, sum, onRead));
  });
  return { ...manifest, streams };
}

async function copied(
  io: CliIo,
  log: EventLog,
  { from, manifest }: { readonly from: string; readonly manifest: ExportManifest },
): Promise<void> {
  const bar = progressBar(io, BigInt(manifest.events), 'of the export, imported');
  let events = 0n;
  const onCopied = (): void => bar.show((events += 1n));
  const { installationId } = manifest;
  await withBar(bar, () => importEvents(log, exportedEvents(from, manifest), { installationId, onCopied }));
}

export async function auditImport(
  io: CliIo,
  { from, verifyOnly = false, json = false }: ImportOptions,
): Promise<void> {
  if (verifyOnly) return auditExported(io, from, json);
  const { streams, ...manifest } = await importInto(io, readConfig(io.env), { from });
  await answer(io, json, { folder: from, streams, ...manifest }, [
    `${manifest.events} events of ${streams} streams are in the event log, as they were exported at ${manifest.exportedAt}.`,
    'Next: rollcall projections rebuild, then rollcall audit verify, then start the processes.',
  ]);
}

async function auditExported(io: CliIo, from: string, json: boolean): Promise<void> {
  const manifest = await readExportManifest(from);
  const { streams } = await checked(io, from, manifest);
  await answer(io, json, { folder: from, streams, ...manifest }, [
    `The export is whole: ${manifest.events} events in ${streams} streams. What its last events were cannot be shown.`,
  ]);
}
