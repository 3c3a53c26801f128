import { TemporaryFile } from './temporary-file.js';
import type { StoredBody } from './stored-body.js';

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
