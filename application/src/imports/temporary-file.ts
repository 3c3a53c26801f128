import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { EventLogUnavailable } from '../ports/event-log.js';

/**
 * A file without a name: it is gone with the process, however that ends. Synchronous, because it only talks to the page
 * cache.
 */
export class TemporaryFile {
  readonly #file: number;
  #length = 0;

  /** `EventLogUnavailable` where the folder takes no file. */
  constructor(folder: string) {
    this.#file = orUnavailable(() => {
      const path = join(folder, `.spool-${randomUUID()}`);
      const file = openSync(path, 'wx+', 0o600);
      unlinkSync(path);
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

  /** Fills the buffer from this place on, as far as there is anything; the bytes read. */
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
