import { ByteWriter } from '@rollcall/domain';

const blockBytes = 1024 * 1024;

/**
 * Memory for the documents of one event, taken in blocks of 1 MiB instead of one for each document. With `reuse` a
 * block is written over again when three parts more were begun: by then the store has it (see `Handler`).
 */
export class JsonArena {
  readonly #reuse: boolean;
  #free: ByteWriter[] = [];
  /** Blocks in use, those of the current part last. */
  #parts: ByteWriter[][] = [[]];
  #block = new ByteWriter(new Uint8Array(0));

  constructor(reuse: boolean) {
    this.#reuse = reuse;
  }

  /** A writer with room for so many bytes. What is written to it stands where it lies. */
  writer(bytes: number): ByteWriter {
    if (this.#block.length + bytes <= this.#block.buffer.length) return this.#block;
    const free = bytes <= blockBytes ? this.#free.pop() : undefined;
    this.#block = free ?? new ByteWriter(new Uint8Array(Math.max(blockBytes, bytes)));
    this.#block.length = 0;
    this.#parts.at(-1)?.push(this.#block);
    return this.#block;
  }

  /** A short text of ASCII characters. */
  text(ascii: string): Uint8Array {
    const out = this.writer(ascii.length);
    const start = out.length;
    out.ascii(ascii);
    return out.buffer.subarray(start, out.length);
  }

  /** From here on documents belong to the next part. */
  nextPart(): void {
    this.#parts.push([]);
    this.#block = new ByteWriter(new Uint8Array(0));
    const old = this.#parts.length > 3 ? this.#parts.shift() : undefined;
    if (this.#reuse && old !== undefined)
      this.#free.push(...old.filter(({ buffer }) => buffer.length === blockBytes));
  }
}
