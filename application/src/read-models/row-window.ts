import { Buffer } from 'node:buffer';
import { boundsIn } from './row-blocks.js';

const firstBytes = 64 * 1024;

/** Rows by their places, side by side in memory that is used again. */
export class RowWindow {
  readonly #most: number;
  #bytes: Uint8Array = new Uint8Array();
  #ends = new Uint32Array();
  #starts = new Uint32Array();
  #length = 0;

  /** So many bytes of rows at most, but for those of a single block. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Forgets its rows, which are gone, and makes place for so many. */
  clear(count: number): void {
    this.#length = 0;
    if (this.#ends.length < count) {
      this.#starts = new Uint32Array(count);
      this.#ends = new Uint32Array(count);
    } else this.#ends.fill(0);
  }

  /**
   * Copies to these places the rows of their numbers, as far as the block has them: at once those that follow one another in it.
   * False where there is no room for all.
   */
  take(block: Uint8Array, places: readonly number[], numbers: readonly number[]): boolean {
    const { startOf, endOf } = boundsIn(block);
    let from = 0;
    let to = 0;
    for (const place of places) {
      const number = numbers[place] ?? 0;
      const start = startOf(number);
      if (start !== to) {
        if (!this.#copy(block.subarray(from, to))) return false;
        from = start;
      }
      to = endOf(number);
      this.#starts[place] = this.#length + start - from;
      this.#ends[place] = this.#length + to - from;
    }
    return this.#copy(block.subarray(from, to));
  }

  has(place: number): boolean {
    return (this.#ends[place] ?? 0) > (this.#starts[place] ?? 0);
  }

  /** Those from one up to another at which there is a row. */
  places(from: number, to: number): readonly number[] {
    const places: number[] = [];
    for (let place = from; place < to; place += 1) if (this.has(place)) places.push(place);
    return places;
  }

  /** Valid until the window is cleared; empty where there is none. */
  row(place: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[place], this.#ends[place]);
  }

  #copy(rows: Uint8Array): boolean {
    const end = this.#length + rows.length;
    if (end > this.#most && this.#length > 0) return false;
    if (end > this.#bytes.length) this.#grow(end);
    this.#bytes.set(rows, this.#length);
    this.#length = end;
    return true;
  }

  #grow(least: number): void {
    const larger = new Uint8Array(
      Buffer.allocUnsafeSlow(Math.max(firstBytes, 2 * this.#bytes.length, least)).buffer,
    );
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
