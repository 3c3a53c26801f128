import { Buffer } from 'node:buffer';

/**
 * Rows that lie in one document: those of so many numbers that follow one another. A store takes 16 MB, and a row may have 200 KB;
 * with fewer rows a change of a hundredth of the employees leaves half of the blocks as they are.
 */
export const BLOCK_ROWS = 64;

const END_BYTES = 4;

/** A row and the number that it is found by. `row` lies in the block: it is valid for as long as that is. */
export interface NumberedRow {
  readonly number: number;
  readonly row: Uint8Array;
}

/** Rows that lie in one text, one behind the other: the number of each, and where it ends. An empty one is none. */
export interface RowsText {
  readonly numbers: ArrayLike<number>;
  readonly ends: ArrayLike<number>;
  readonly text: Uint8Array;
}

/** What becomes of rows, by their numbers: undefined is removed. */
export type RowChanges = ReadonlyMap<number, Uint8Array | undefined>;

/** The block in which the row of a number lies. */
export const blockOf = (number: number): number => Math.floor(number / BLOCK_ROWS);

/** The first number of a block. */
export const firstOfBlock = (block: number): number => block * BLOCK_ROWS;

/** At which places the numbers of each block stand. In a plain loop, as all that is done for each row: the first GET of a process meets code that is not compiled. */
export function placesByBlock(numbers: readonly number[]): Map<number, number[]> {
  const blocks = new Map<number, number[]>();
  let block = -1;
  let places: number[] = [];
  for (let place = 0; place < numbers.length; place += 1) {
    const next = blockOf(numbers[place] ?? 0);
    if (next !== block) {
      block = next;
      places = blocks.get(block) ?? [];
      blocks.set(block, places);
    }
    places.push(place);
  }
  return blocks;
}

/**
 * A block's bytes: how many ends follow, behind which byte of the rows' text each row ends (an absent one where the one before
 * it does), all of them unsigned integers of 32 bits, the lowest byte first; then the text.
 */
const viewOf = (block: Uint8Array): DataView =>
  new DataView(block.buffer, block.byteOffset, block.byteLength);

const headBytes = (count: number): number => (count + 1) * END_BYTES;

/** Where a block's rows lie in it, by their numbers, which are of its own; one that it does not have ends where it starts. */
export function boundsIn(block: Uint8Array): Record<'startOf' | 'endOf', (number: number) => number> {
  const view = viewOf(block);
  const count = view.getUint32(0, true);
  const text = headBytes(count);
  const behind = (slot: number): number =>
    slot < 0 ? text : text + view.getUint32(headBytes(Math.min(slot, count - 1)), true);
  return {
    startOf: (number) => behind((number % BLOCK_ROWS) - 1),
    endOf: (number) => behind(number % BLOCK_ROWS),
  };
}

/** Undefined where the block has no row of the number, which is one of its own. */
export function rowOf(block: Uint8Array, number: number): Uint8Array | undefined {
  const { startOf, endOf } = boundsIn(block);
  const [start, end] = [startOf(number), endOf(number)];
  return start === end ? undefined : block.subarray(start, end);
}

/** Its rows in the order of numbers; `index` is the block's own. */
export function* rowsOf(block: Uint8Array, index: number): Generator<NumberedRow> {
  const { startOf, endOf } = boundsIn(block);
  for (let number = firstOfBlock(index); number < firstOfBlock(index + 1); number += 1) {
    const [start, end] = [startOf(number), endOf(number)];
    if (end > start) yield { number, row: block.subarray(start, end) };
  }
}

/** Whose rows are in the block, rising. */
export const numbersOf = (block: Uint8Array, index: number): readonly number[] =>
  Array.from(rowsOf(block, index), ({ number }) => number);

/**
 * The block with the changed rows, which are of its numbers; undefined where none is left. What lies between them is copied as it is.
 * `memory` as in a `BlockBuilder`.
 */
export function evolveRows(
  block: Uint8Array | undefined,
  changes: RowChanges,
  memory?: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | undefined {
  const sorted = [...changes].sort(([one], [other]) => one - other);
  const bytes = sorted.reduce((sum, [, row]) => sum + (row?.length ?? 0), block?.length ?? 0);
  const builder = new BlockBuilder(bytes, memory);
  const stored = block === undefined ? noRows : textOf(block);
  let from = 0;
  for (const [number, row] of sorted) {
    const slot = number % BLOCK_ROWS;
    builder.addAll(stored, from, slot);
    if (row !== undefined) builder.add(number, row);
    from = slot + 1;
  }
  builder.addAll(stored, from, BLOCK_ROWS);
  return builder.finish();
}

const slots = Uint8Array.from({ length: BLOCK_ROWS }, (_, slot) => slot);
const noRows: RowsText = { numbers: slots, ends: [], text: new Uint8Array(0) };

function textOf(block: Uint8Array): RowsText {
  const view = viewOf(block);
  const count = view.getUint32(0, true);
  const ends = slots.subarray(0, count);
  return {
    numbers: slots,
    ends: Array.from(ends, (slot) => view.getUint32(headBytes(slot), true)),
    text: block.subarray(headBytes(count)),
  };
}

/** Where the row at this place ends; 0 in front of the first. */
const endOf = (ends: ArrayLike<number>, at: number): number => ends[at] ?? 0;

/** Not set to zero. */
const fresh = (bytes: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer);

/** Most blocks of a company weigh nearly the same: what one has too much, all have that use its memory again. */
const GROWTH = 1.25;

/** Fills a block with rows of rising numbers, each copied once. */
export class BlockBuilder {
  /** The head is written right in front of the text, when it is known how long it is. */
  #bytes: Uint8Array<ArrayBuffer>;
  readonly #ends = new Uint32Array(BLOCK_ROWS);
  #count = 0;
  #length = headBytes(BLOCK_ROWS);

  /** In the memory of another one, or with room for rows of so many bytes; it grows where they have more. */
  constructor(bytes: number, memory = fresh(headBytes(BLOCK_ROWS) + bytes)) {
    this.#bytes = memory;
  }

  /** A number of the same block as those before it, and higher than they. */
  add(number: number, row: Uint8Array): void {
    this.addAll({ numbers: [number], ends: [row.length], text: row }, 0, 1);
  }

  /** The same of those rows that lie from `from` up to `to` (exclusive), as far as there are so many. */
  addAll({ numbers, ends, text }: RowsText, from: number, to: number): void {
    const last = Math.min(to, ends.length);
    const start = endOf(ends, from - 1);
    const bytes = endOf(ends, last - 1) - start;
    if (from >= last || bytes === 0) return;
    this.#makeRoom(bytes);
    this.#bytes.set(text.subarray(start, start + bytes), this.#length);
    const shift = this.#textLength - start;
    for (let at = from; at < last; at += 1) this.#end(numbers[at] ?? 0, shift + endOf(ends, at));
    this.#length += bytes;
  }

  #end(number: number, end: number): void {
    const before = this.#count === 0 ? 0 : (this.#ends[this.#count - 1] ?? 0);
    if (end === before) return;
    const slot = number % BLOCK_ROWS;
    if (slot < this.#count) throw new RangeError('the numbers of a block do not rise');
    this.#ends.fill(before, this.#count, slot);
    this.#ends[slot] = end;
    this.#count = slot + 1;
  }

  /** The block, undefined without a row. The builder has done its work. */
  finish(): Uint8Array<ArrayBuffer> | undefined {
    if (this.#count === 0) return undefined;
    const start = headBytes(BLOCK_ROWS) - headBytes(this.#count);
    const block = this.#bytes.subarray(start, this.#length);
    const view = viewOf(block);
    view.setUint32(0, this.#count, true);
    for (let slot = 0; slot < this.#count; slot += 1)
      view.setUint32(headBytes(slot), this.#ends[slot] ?? 0, true);
    return block;
  }

  /** The memory that the block lies in, to be used again when nobody needs the block. */
  get memory(): Uint8Array<ArrayBuffer> {
    return this.#bytes;
  }

  get #textLength(): number {
    return this.#length - headBytes(BLOCK_ROWS);
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = fresh(Math.max(Math.ceil(this.#bytes.length * GROWTH), this.#length + bytes));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
