import { join } from 'node:path';
import { ChainCheck, EventSum, LogCorrupt, type RecordedEvent } from '@rollcall/application';
import { measured, partsOf } from './copied-files.js';
import { eventOfLine, isExportManifest, type ExportedFile, type ExportManifest } from './export-format.js';
import { CopyRefused, readManifestAs } from './manifest.js';

/** No event has a longer line: its data weighs at most 1 MiB. */
const maxLineBytes = 16 * 1024 * 1024;

/** `CopyRefused` where the folder holds no finished export that this version can read. */
export const readExportManifest = (folder: string): Promise<ExportManifest> =>
  readManifestAs(folder, 'export', isExportManifest);

const damaged = (folder: string, { path }: ExportedFile): CopyRefused =>
  new CopyRefused(`${join(folder, path)} is not what the export wrote: take another export.`);

/** The events in the order of their positions. */
export async function* exportedEvents(
  folder: string,
  { files }: Pick<ExportManifest, 'files'>,
): AsyncGenerator<RecordedEvent> {
  for (const file of files) {
    let events = 0;
    for await (const line of linesOf(join(folder, file.path))) {
      const event = eventOfLine(line);
      if (event === undefined) throw damaged(folder, file);
      yield event;
      events += 1;
    }
    if (events !== file.events) throw damaged(folder, file);
  }
}

async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const part of partsOf(file)) {
    const bytes = Buffer.concat([rest, part]);
    let from = 0;
    for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', from)) {
      yield bytes.toString('utf8', from, end);
      from = end + 1;
    }
    rest = bytes.subarray(from);
    if (rest.length > maxLineBytes) break;
  }
  if (rest.length > 0) yield rest.toString('utf8');
}

/**
 * Reads all of an export: every file is the one that the manifest names, and every stream whole from its first event on.
 * `CopyRefused` names the file, or stream and revision.
 */
export async function checkExport(
  folder: string,
  manifest: ExportManifest,
  onChecked: (events: number) => void = () => undefined,
): Promise<{ readonly streams: number; readonly sum: EventSum }> {
  for (const file of manifest.files) await refuseOther(folder, file);
  const chains = new ChainCheck();
  const sum = new EventSum();
  let [events, position] = [0, -1n];
  for await (const event of exportedEvents(folder, manifest)) {
    if (event.position <= position) throw new CopyRefused(`The events in ${folder} are not in their order.`);
    ({ position } = event);
    verify(chains, event);
    sum.add(event);
    onChecked((events += 1));
  }
  if (events !== manifest.events)
    throw new CopyRefused(`The events in ${folder} do not end where the manifest says: take another export.`);
  return { streams: chains.streams, sum };
}

async function refuseOther(folder: string, file: ExportedFile): Promise<void> {
  const { bytes, sha256 } = await measured(folder, file.path).catch(() => ({ bytes: -1, sha256: '' }));
  if (bytes !== file.bytes || sha256 !== file.sha256) throw damaged(folder, file);
}

function verify(chains: ChainCheck, event: RecordedEvent): void {
  try {
    chains.take(event);
  } catch (error) {
    if (!(error instanceof LogCorrupt)) throw error;
    throw new CopyRefused(`The export is broken: ${error.message}.`);
  }
}
