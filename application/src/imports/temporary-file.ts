import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EventLogUnavailable } from '../ports/event-log.js';

export const temporaryPrefix = '.spool-';

/** Removes files of processes that were killed before they could unlink them. Safe while others run. */
export async function sweepTemporaryFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith(temporaryPrefix)) await rm(join(folder, name), { force: true });
}

/** An unlinked file: gone with the process, however that ends. Synchronous, since it only uses the page cache. */
export class TemporaryFile {
  readonly #file: number;
  #length = 0;

  /** `EventLogUnavailable` where the folder takes no file. */
  constructor(folder: string) {
    this.#file = orUnavailable(() => {
      const path = join(folder, `${temporaryPrefix}${randomUUID()}`);
      const file = openSync(path, 'wx+', 0o600);
      // The start of another process may have swept it.
      rmSync(path, { force: true });
      return file;
    });
  }

  /** `EventLogUnavailable` where the disk is full. */
  write(bytes: Uint8Array): void {
    orUnavailable(() => {
      for (let at = 0; at < bytes.length;)
        at += writeSync(this.#file, bytes, at, bytes.length - at, this.#length + at);
    });
    this.#length += bytes.length;
  }

  /** Fills `into` from the offset `from` on, as far as there are bytes. Returns the bytes read. */
  read(into: Uint8Array, from: number): number {
    return orUnavailable(() => {
      let at = 0;
      for (;;) {
        const read = readSync(this.#file, into, at, into.length - at, from + at);
        at += read;
        if (read === 0 || at === into.length) return at;
      }
    });
  }

  close(): void {
    closeSync(this.#file);
  }
}

function orUnavailable<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new EventLogUnavailable('The temporary file for large data cannot be used', { cause: error });
  }
}
