/** What is taken at a time, at most. */
export const blockBytes = 1024 * 1024;

/** Memory that is filled from its beginning. */
interface Block {
  readonly buffer: Buffer;
  length: number;
}

const newBlock = (bytes: number): Block => ({ buffer: Buffer.allocUnsafeSlow(bytes), length: 0 });

/** Documents weigh about one and a half times the event that they are made from. */
const perEventByte = 2;

/**
 * Memory for the documents of one event of so many bytes, taken in blocks of 1 MiB instead of one for each document; for a
 * small event one block that fits, because memory outside of the heap makes the garbage collector run. With `reuse` a
 * block is written over again when three parts more were begun: by then the store has it (see `Handler`).
 */
export class JsonArena {
  readonly #reuse: boolean;
  readonly #blockBytes: number;
  #free: Block[] = [];
  /** Blocks in use, those of the current part last. */
  #parts: Block[][] = [[]];
  #block = newBlock(0);

  constructor(eventBytes: number, reuse: boolean) {
    this.#reuse = reuse;
    this.#blockBytes = Math.min(blockBytes, eventBytes * perEventByte);
  }

  /** A copy of these bytes. */
  copy(bytes: Uint8Array): Uint8Array {
    const block = this.#room(bytes.length);
    const start = block.length;
    block.buffer.set(bytes, start);
    block.length += bytes.length;
    return block.buffer.subarray(start, block.length);
  }

  /** A short text of ASCII characters. */
  text(ascii: string): Uint8Array {
    const block = this.#room(ascii.length);
    const start = block.length;
    block.length += block.buffer.write(ascii, start, 'latin1');
    return block.buffer.subarray(start, block.length);
  }

  #room(bytes: number): Block {
    if (this.#block.length + bytes <= this.#block.buffer.length) return this.#block;
    const free = bytes <= this.#blockBytes ? this.#free.pop() : undefined;
    this.#block = free ?? newBlock(Math.max(this.#blockBytes, bytes));
    this.#block.length = 0;
    this.#parts.at(-1)?.push(this.#block);
    return this.#block;
  }

  /** From here on documents belong to the next part. */
  nextPart(): void {
    this.#parts.push([]);
    this.#block = newBlock(0);
    const old = this.#parts.length > 3 ? this.#parts.shift() : undefined;
    if (this.#reuse && old !== undefined)
      this.#free.push(...old.filter(({ buffer }) => buffer.length === this.#blockBytes));
  }
}
