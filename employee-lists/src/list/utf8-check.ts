import { isUtf8 } from 'node:buffer';

function endOfWhole(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

const nothing = new Uint8Array(0);

/** Chunks may end inside a character. */
export class Utf8Check {
  #rest: Uint8Array = nothing;
  #isSound = true;

  /** False once the bytes cannot be UTF-8. */
  push(chunk: Uint8Array): boolean {
    if (!this.#isSound) return false;
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    const end = endOfWhole(bytes);
    this.#rest = end === bytes.length ? nothing : Uint8Array.from(bytes.subarray(end));
    this.#isSound = isUtf8(bytes.subarray(0, end));
    return this.#isSound;
  }

  finish(): boolean {
    return this.#isSound && this.#rest.length === 0;
  }
}
