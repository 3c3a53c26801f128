import { Buffer } from 'node:buffer';

const firstBytes = 64 * 1024;

/** Rows by their places, side by side in memory that is used again. */
export class RowWindow {
  readonly #most: number;
  #bytes: Uint8Array = new Uint8Array();
  #ends = new Uint32Array();
  #starts = new Uint32Array();
  #length = 0;

  /** So many bytes of rows at most, but for a single row. */
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

  /** False, and nothing done, where there is no room. */
  put(place: number, row: Uint8Array | undefined): boolean {
    if (row === undefined) return true;
    const end = this.#length + row.length;
    if (end > this.#most && this.#length > 0) return false;
    if (end > this.#bytes.length) this.#grow(end);
    this.#bytes.set(row, this.#length);
    this.#starts[place] = this.#length;
    this.#ends[place] = this.#length = end;
    return true;
  }

  /** Valid until the window is cleared; undefined where none was put. */
  row(place: number): Uint8Array | undefined {
    const end = this.#ends[place];
    return end ? this.#bytes.subarray(this.#starts[place], end) : undefined;
  }

  #grow(least: number): void {
    const larger = new Uint8Array(
      Buffer.allocUnsafeSlow(Math.max(firstBytes, 2 * this.#bytes.length, least)).buffer,
    );
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
