import { TemporaryFile } from './temporary-file.js';
import type { StoredBody } from './stored-body.js';

/** Small reads that follow each other are taken from the file in pieces of so many bytes; those far from the one before are not. */
const windowBytes = 64 * 1024;
const nearBytes = 4 * 1024;

/** The bytes of a body in a file without a name, which can be read while they are still written. */
export class BodyFile implements Omit<StoredBody, 'sha256'> {
  readonly #file: TemporaryFile;
  #length = 0;
  /** What was read last, and where it begins. */
  #window = Buffer.alloc(0);
  #windowStart = 0;
  #memory = Buffer.alloc(0);

  /** `EventLogUnavailable` where the folder takes no file, here and below. */
  constructor(folder: string) {
    this.#file = new TemporaryFile(folder);
  }

  /** Bytes written. */
  get length(): number {
    return this.#length;
  }

  write(bytes: Uint8Array): void {
    this.#file.write(bytes);
    this.#length += bytes.length;
  }

  /** See `StoredBody`. */
  read(start: number, end: number): Buffer {
    if (start < this.#windowStart || end > this.#windowStart + this.#window.length) this.#load(start, end);
    return this.#window.subarray(start - this.#windowStart, end - this.#windowStart);
  }

  /** See `StoredBody`. */
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
