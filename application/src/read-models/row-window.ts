import { Buffer } from 'node:buffer';
import { BLOCK_ROWS, firstOfBlock, hasLeft, recordDate, recordText, rowBounds } from './row-blocks.js';

/** Rows of consecutive blocks, in memory that is reused. */
export class RowWindow {
  readonly #maxBytes: number;
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  #bytes = Buffer.alloc(0);
  #length = 0;
  #first = 0;
  #blocks = 0;

  constructor(maxBlocks: number, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#starts = new Uint32Array(maxBlocks * BLOCK_ROWS);
    this.#ends = new Uint32Array(maxBlocks * BLOCK_ROWS);
  }

  get memory(): number {
    return this.#bytes.length;
  }

  clear(block: number, blocks: number): void {
    this.#first = firstOfBlock(block);
    this.#blocks = blocks;
    this.#length = 0;
    this.#starts.fill(0);
    this.#ends.fill(0);
  }

  /** Copies a block or its changes. False where there is no room; a single block always has room. */
  take(rows: Uint8Array, block: number): boolean {
    if (this.#blocks > 1 && this.#length + rows.length > this.#maxBytes) return false;
    const shift = this.#copy(rows);
    const slot = firstOfBlock(block) - this.#first;
    for (const { number, start, end } of rowBounds(rows, block)) {
      const at = slot + (number % BLOCK_ROWS);
      this.#starts[at] = shift + start;
      this.#ends[at] = hasLeft(rows, start, end) ? this.#starts[at] : shift + end;
    }
    return true;
  }

  numbers(after: number): readonly number[] {
    const numbers: number[] = [];
    for (let at = Math.max(0, after + 1 - this.#first); at < this.#blocks * BLOCK_ROWS; at += 1)
      if ((this.#ends[at] ?? 0) > (this.#starts[at] ?? 0)) numbers.push(this.#first + at);
    return numbers;
  }

  /** Valid until the window is cleared. */
  text(number: number): Uint8Array {
    const at = number - this.#first;
    return recordText(this.#bytes, this.#starts[at], this.#ends[at]);
  }

  date(number: number): string | undefined {
    return recordDate(this.#bytes, this.#starts[number - this.#first]);
  }

  #copy(rows: Uint8Array): number {
    const start = this.#length;
    this.#length += rows.length;
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.#length));
      larger.set(this.#bytes.subarray(0, start));
      this.#bytes = larger;
    }
    this.#bytes.set(rows, start);
    return start;
  }
}
