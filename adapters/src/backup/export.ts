import { createHash } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import {
  isOfCompany,
  isSwept,
  readInstallation,
  readLog,
  type EventReader,
  type EventSubscriber,
  type Position,
} from '@rollcall/application';
import { entriesOf, makePrivateFolder, syncFolder } from '../keys/files.js';
import { version } from '../version.js';
import {
  lineOf,
  EXPORT_FORMAT,
  fileName,
  isExportFile,
  type ExportedFile,
  type ExportManifest,
} from './export-format.js';
import { CopyRefused, writeManifest } from './manifest.js';

/** A file takes no more events from this size on. */
const maxFileBytes = 64 * 1024 * 1024;
const writeBytes = 1024 * 1024;

export interface ExportRequest {
  readonly log: EventReader & EventSubscriber;
  /** New, empty, or of an export that was killed. */
  readonly to: string;
  readonly company?: number | undefined;
  readonly now: () => number;
  readonly publicKeys?: ExportManifest['publicKeys'] | undefined;
  readonly onExported?: (position: Position) => void;
}

/**
 * Writes the events up to the log's present end, as they are stored, beside running processes. The manifest comes last.
 * `CopyRefused` for another folder, for a log without an installation, and where a stream is deleted meanwhile.
 */
export async function exportLog(request: ExportRequest): Promise<ExportManifest> {
  const { log, to, company, onExported } = request;
  const exportedAt = new Date(request.now()).toISOString();
  const installation = await readInstallation(log);
  const last = await log.lastPosition();
  if (installation === undefined || last === undefined)
    throw new CopyRefused('The event log does not say which installation it is: there is nothing to export.');
  await beginFolder(to);
  const files = new ExportFiles(to);
  const swept = new Set<string>();
  try {
    await readLog(log, last, async (event) => {
      onExported?.(event.position);
      if (company !== undefined && !isOfCompany(event, company)) return;
      if (isSwept(event.stream)) swept.add(event.stream);
      await files.write(lineOf(event));
    });
  } finally {
    await files.end();
  }
  await refuseDeleted(log, swept);
  const manifest: ExportManifest = {
    format: EXPORT_FORMAT,
    version,
    ...installation,
    exportedAt,
    company: company ?? null,
    lastPosition: String(last),
    events: files.written.reduce((sum, { events }) => sum + events, 0),
    files: files.written,
    publicKeys: request.publicKeys ?? [],
  };
  await syncFolder(to);
  await writeManifest(to, manifest);
  return manifest;
}

async function beginFolder(to: string): Promise<void> {
  const names = await entriesOf(to);
  if (!names.every(isExportFile))
    throw new CopyRefused(`${to} is not empty: an export needs a folder that is new or empty.`);
  for (const name of names) await rm(join(to, name));
  await makePrivateFolder(to);
}

/** The sweeper may have deleted a stream of which only the first events had been read. */
async function refuseDeleted(log: EventReader, swept: Iterable<string>): Promise<void> {
  for (const stream of swept)
    if ((await log.readLast(stream)) === undefined)
      throw new CopyRefused(`${stream} was deleted while it was exported: run the export again.`);
}

class ExportFiles {
  readonly written: ExportedFile[] = [];
  readonly #folder: string;
  #file: FileHandle | undefined;
  #hash = createHash('sha256');
  #bytes = 0;
  #events = 0;
  #lines: string[] = [];
  #waiting = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async write(line: string): Promise<void> {
    this.#lines.push(line);
    this.#waiting += line.length;
    this.#events += 1;
    if (this.#waiting >= writeBytes) await this.#flush();
    if (this.#bytes >= maxFileBytes) await this.end();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#lines.join(''));
    this.#lines = [];
    this.#waiting = 0;
    this.#file ??= await open(join(this.#folder, fileName(this.written.length + 1)), 'wx', 0o600);
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    await this.#file.writeFile(bytes);
  }

  /** Syncs and closes the file that is being written. */
  async end(): Promise<void> {
    if (this.#lines.length > 0) await this.#flush();
    const file = this.#file;
    if (file === undefined) return;
    this.#file = undefined;
    await file.sync().finally(() => file.close());
    const path = fileName(this.written.length + 1);
    this.written.push({ path, bytes: this.#bytes, sha256: this.#hash.digest('hex'), events: this.#events });
    this.#hash = createHash('sha256');
    this.#bytes = this.#events = 0;
  }
}
