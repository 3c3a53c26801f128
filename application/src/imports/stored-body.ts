import { asBuffer } from '../event-store/linked-events.js';
import {
  type EmployeeList,
  type EmployeeListCheck,
  EmployeeListReader,
  releaseMemory,
} from '@rollcall/employee-lists';
import { RunStopped } from '../ports/imports.js';
import type { ReadingDeps } from './import-deps.js';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EventLogUnavailable } from '../ports/event-log.js';

/** Received in full and unpacked; in memory or in a file. */
export interface StoredBody {
  readonly length: number;
  /** Hex. */
  readonly sha256: string;
  /** The bytes from `start` to `end` (exclusive): read-only, valid until the next call. */
  read(start: number, end: number): Buffer;
  /** Fills `into` from the offset `from` on, as far as there are bytes. Returns the bytes copied. */
  copy(into: Uint8Array, from: number): number;
}

export function bodyInMemory(body: Uint8Array, sha256: string): StoredBody {
  const whole = asBuffer(body);
  return {
    length: whole.length,
    sha256,
    read: (start, end) => whole.subarray(start, end),
    copy: (into, from) => whole.copy(into, 0, from),
  };
}

/** Each is valid until the next is requested. */
function* readChunks(body: Pick<StoredBody, 'length' | 'copy'>, bytes: number): Generator<Uint8Array> {
  const chunk = Buffer.allocUnsafe(Math.min(bytes, body.length));
  for (let at = 0; at < body.length; at += bytes) yield chunk.subarray(0, body.copy(chunk, at));
}

const chunkBytes = 256 * 1024;

interface ReaderOptions {
  /** From this many elements on, a list is not digested. */
  readonly digestBelow: number;
  readonly expectedBytes: number;
}

/** `bytes` gives back what was fed. `close` has to end the reader. */
export const employeeReader = (
  bytes: StoredBody['read'],
  { digester, onUnsettled }: ReadingDeps,
  options: ReaderOptions,
): EmployeeListReader => new EmployeeListReader({ ...options, digester, bytes, onUnsettled });

/** `RunStopped` once `abandonsRuns` says so. */
export function feedFrom(
  body: Pick<StoredBody, 'length' | 'copy'>,
  reader: EmployeeListReader,
  { abandonsRuns }: ReadingDeps,
): void {
  for (const chunk of readChunks(body, chunkBytes)) {
    if (abandonsRuns?.()) throw new RunStopped();
    reader.feed(chunk);
  }
}

export function checkEmployees(body: StoredBody, deps: ReadingDeps, digestBelow: number): EmployeeListCheck {
  const bytes: StoredBody['read'] = (start, end) => body.read(start, end);
  const reader = employeeReader(bytes, deps, { digestBelow, expectedBytes: body.length });
  try {
    feedFrom(body, reader, deps);
    return reader.finish();
  } finally {
    reader.close();
  }
}

/** Frees the list's memory: it must not be used afterwards. */
export function releaseList({ bounds, plain, withUnknown, ids, digests }: EmployeeList): void {
  for (const { buffer } of [bounds, plain, withUnknown, ids, digests]) releaseMemory(buffer);
}

/** Read-ahead: a read near the previous one loads a window, any other at least `nearBytes`. */
const windowBytes = 64 * 1024;
const nearBytes = 4 * 1024;

/** An unlinked file, readable while it is written. */
export class BodyFile implements Omit<StoredBody, 'sha256'> {
  readonly #file: TemporaryFile;
  #length = 0;
  #window = Buffer.alloc(0);
  #windowStart = 0;
  #memory = Buffer.alloc(0);

  /** `EventLogUnavailable` where the folder takes no file, here and below. */
  constructor(folder: string) {
    this.#file = new TemporaryFile(folder);
  }

  get length(): number {
    return this.#length;
  }

  write(bytes: Uint8Array): void {
    this.#file.write(bytes);
    this.#length += bytes.length;
  }

  read(start: number, end: number): Buffer {
    if (start < this.#windowStart || end > this.#windowStart + this.#window.length) this.#load(start, end);
    return this.#window.subarray(start - this.#windowStart, end - this.#windowStart);
  }

  copy(into: Uint8Array, from: number): number {
    return this.#file.read(into, from);
  }

  close(): void {
    this.#file.close();
    releaseMemory(this.#memory.buffer);
  }

  #load(start: number, end: number): void {
    const windowEnd = this.#windowStart + this.#window.length;
    const isNear = start >= this.#windowStart && start < windowEnd + nearBytes;
    const length = Math.max(end - start, isNear ? windowBytes : nearBytes);
    if (this.#memory.length < length) this.#memory = Buffer.allocUnsafeSlow(length);
    const read = this.#file.read(this.#memory.subarray(0, length), start);
    if (read < end - start) throw new RangeError('the file of a body has no such bytes');
    this.#window = this.#memory.subarray(0, read);
    this.#windowStart = start;
  }
}

export const temporaryPrefix = '.spool-';

export const temporaryPath = (folder: string): string =>
  join(folder, `${temporaryPrefix}${process.pid}-${randomUUID()}`);

/** Removes what killed processes have left. Another process that is alive may still read its files. */
export async function sweepTemporaryFiles(folder: string, isAlive: (pid: number) => boolean): Promise<void> {
  for (const name of await readdir(folder)) {
    const owner = Number(/^\.spool-(\d+)-/.exec(name)?.[1] ?? process.pid);
    if (!name.startsWith(temporaryPrefix) || (owner !== process.pid && isAlive(owner))) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** An unlinked file: gone with the process, however that ends. Synchronous, since it only uses the page cache. */
class TemporaryFile {
  readonly #file: number;
  #length = 0;

  constructor(folder: string) {
    this.#file = orUnavailable(() => {
      const path = temporaryPath(folder);
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
