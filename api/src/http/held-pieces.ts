/** Chunks of at least this size are kept as they are; smaller ones are copied together. */
const leastOwn = 4 * 1024;
const blockBytes = 16 * 1024;

type Piece = Uint8Array<ArrayBuffer>;

/** Chunks of a body on memory of their own, so that another thread can take them. Tiny chunks share blocks. */
export class HeldPieces {
  #pieces: Piece[] = [];
  #length = 0;
  /** Takes small chunks; its used part is the last element of `#pieces`. */
  #block: Piece | undefined;

  get length(): number {
    return this.#length;
  }

  /** Takes the chunk's memory over. */
  add(chunk: Uint8Array): void {
    this.#length += chunk.byteLength;
    if (this.#addToBlock(chunk)) return;
    const isLarge = chunk.byteLength >= leastOwn || this.#pieces.length === 0;
    if (isLarge && isOwn(chunk)) {
      this.#block = undefined;
      this.#pieces.push(chunk);
      return;
    }
    this.#block = new Uint8Array(Math.max(blockBytes, chunk.byteLength));
    this.#block.set(chunk);
    this.#pieces.push(this.#block.subarray(0, chunk.byteLength));
  }

  /** Returns everything, in order, and holds nothing afterwards. */
  take(): readonly Piece[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#length = 0;
    this.#block = undefined;
    return pieces;
  }

  takeWhole(): Piece {
    const length = this.#length;
    const [first, ...others] = this.take();
    if (first && others.length === 0) return first;
    const whole = new Uint8Array(length);
    let at = 0;
    for (const piece of first ? [first, ...others] : []) {
      whole.set(piece, at);
      at += piece.byteLength;
    }
    return whole;
  }

  #addToBlock(chunk: Uint8Array): boolean {
    const block = this.#block;
    const last = this.#pieces.at(-1);
    if (!block || !last || last.byteLength + chunk.byteLength > block.byteLength) return false;
    block.set(chunk, last.byteLength);
    this.#pieces[this.#pieces.length - 1] = block.subarray(0, last.byteLength + chunk.byteLength);
    return true;
  }
}

function isOwn(chunk: Uint8Array): chunk is Piece {
  return chunk.buffer instanceof ArrayBuffer && chunk.byteLength === chunk.buffer.byteLength;
}
