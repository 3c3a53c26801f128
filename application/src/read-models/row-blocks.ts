import { Buffer } from 'node:buffer';
import { releaseMemory } from '@rollcall/employee-lists';

/** A record: InvitationDate as sent when new (one byte of length, 0 for none; its characters), then the row's JSON text. */
export const recordText = (bytes: Uint8Array, start = 0, end = bytes.length): Uint8Array =>
  bytes.subarray(start + behindDate(bytes, start), end);

export function recordDate(bytes: Uint8Array, start = 0): string | undefined {
  const length = bytes[start] ?? 0;
  if (length === 0) return undefined;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start + 1, length).toString('utf8');
}

/** The date remains that of the time when the employee was new. */
export function withKeptDate(record: Uint8Array, before: Uint8Array | undefined): Uint8Array {
  if (before === undefined || before[0] === 0) return record;
  return Buffer.concat([before.subarray(0, behindDate(before)), recordText(record)]);
}

const behindDate = (bytes: Uint8Array, start = 0): number => 1 + (bytes[start] ?? 0);

/** A store takes 16 MB, a row may have 200 KB. A change of 1 % of the employees leaves half of the blocks unchanged. */
export const BLOCK_ROWS = 64;

const END_BYTES = 4;

/** Consecutive rows in one text: each row's number and end offset. An empty row is none. */
export interface RowsText {
  readonly numbers: ArrayLike<number>;
  readonly ends: ArrayLike<number>;
  readonly text: Uint8Array;
}

export interface BlockParts {
  readonly block: Uint8Array | undefined;
  readonly changes: Uint8Array | undefined;
}

export type RowChanges = ReadonlyMap<number, Uint8Array | undefined>;

export const blockOf = (number: number): number => Math.floor(number / BLOCK_ROWS);

export const firstOfBlock = (block: number): number => block * BLOCK_ROWS;

/** A block: u32 little-endian count and end offsets, then the text. An absent row ends where the one before it does. */
const viewOf = (block: Uint8Array): DataView =>
  new DataView(block.buffer, block.byteOffset, block.byteLength);

const headBytes = (count: number): number => (count + 1) * END_BYTES;

function boundsIn(block: Uint8Array): Record<'startOf' | 'endOf', (number: number) => number> {
  const view = viewOf(block);
  const count = view.getUint32(0, true);
  const text = headBytes(count);
  const behind = (slot: number): number =>
    slot < 0 || count === 0 ? text : text + view.getUint32(headBytes(Math.min(slot, count - 1)), true);
  return {
    startOf: (number) => behind((number % BLOCK_ROWS) - 1),
    endOf: (number) => behind(number % BLOCK_ROWS),
  };
}

/** `number` has to be one of the block's. */
export function rowOf(block: Uint8Array, number: number): Uint8Array | undefined {
  const { startOf, endOf } = boundsIn(block);
  const [start, end] = [startOf(number), endOf(number)];
  return start === end ? undefined : block.subarray(start, end);
}

export function rowNow({ block, changes }: BlockParts, number: number): Uint8Array | undefined {
  const row = changes && rowOf(changes, number);
  if (row === undefined) return block && rowOf(block, number);
  return hasLeft(row) ? undefined : row;
}

/** By rising number. `index` is the block's own. */
export function* rowBounds(block: Uint8Array, index: number) {
  const { endOf, startOf } = boundsIn(block);
  const first = firstOfBlock(index);
  let start = startOf(first);
  for (let number = first; number < first + BLOCK_ROWS; number += 1) {
    const end = endOf(number);
    if (end > start) yield { number, start, end };
    start = end;
  }
}

export function* rowsOf(block: Uint8Array, index: number) {
  for (const { number, start, end } of rowBounds(block, index))
    yield { number, row: block.subarray(start, end) };
}

const emptyBlock = (): Uint8Array<ArrayBuffer> => new Uint8Array(END_BYTES);

/** `changes` are of the block's numbers. Copies the rows between them in bulk. The block has memory of its own. */
export function evolveRows(block: Uint8Array | undefined, changes: RowChanges): Uint8Array<ArrayBuffer> {
  const sorted = [...changes].sort(([one], [other]) => one - other);
  const bytes = sorted.reduce((sum, [, row]) => sum + (row?.length ?? 0), block?.length ?? 0);
  const builder = new BlockBuilder(bytes);
  const stored = block === undefined ? noRows : textOf(block);
  let from = 0;
  for (const [number, row] of sorted) {
    const slot = number % BLOCK_ROWS;
    builder.addAll(stored, from, slot);
    if (row !== undefined) builder.add(number, row);
    from = slot + 1;
  }
  builder.addAll(stored, from, BLOCK_ROWS);
  return builder.finish() ?? emptyBlock();
}

/** The tombstone of a row, among a block's changes. */
const LEFT = Uint8Array.of(0x30);

export const hasLeft = (bytes: Uint8Array, start = 0, end = bytes.length): boolean =>
  end - start === LEFT.length && bytes[start] === LEFT[0];

export const evolveChanges = (changes: Uint8Array | undefined, rows: RowChanges): Uint8Array<ArrayBuffer> =>
  evolveRows(changes, new Map([...rows].map(([number, row]) => [number, row ?? LEFT])));

export const changesIn = (changes: Uint8Array | undefined, index: number): RowChanges =>
  new Map(
    Array.from(changes === undefined ? [] : rowsOf(changes, index), ({ number, row }) => [
      number,
      hasLeft(row) ? undefined : row,
    ]),
  );

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

const endOf = (ends: ArrayLike<number>, at: number): number => ends[at] ?? 0;

const fresh = (bytes: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer);

/** Blocks of a company have nearly the same size. */
const GROWTH = 1.25;

/** Takes rows of one block by rising number, and copies each once. */
export class BlockBuilder {
  /** The head is written right before the text, once its length is known. */
  #bytes: Uint8Array<ArrayBuffer>;
  readonly #ends = new Uint32Array(BLOCK_ROWS);
  #count = 0;
  #length = headBytes(BLOCK_ROWS);

  /** `bytes`: of the expected rows; it grows for more. */
  constructor(bytes: number) {
    this.#bytes = fresh(headBytes(BLOCK_ROWS) + bytes);
  }

  add(number: number, row: Uint8Array): void {
    this.addAll({ numbers: [number], ends: [row.length], text: row }, 0, 1);
  }

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

  /** In memory of its own. */
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

  get #textLength(): number {
    return this.#length - headBytes(BLOCK_ROWS);
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = fresh(Math.max(Math.ceil(this.#bytes.length * GROWTH), this.#length + bytes));
    larger.set(this.#bytes.subarray(0, this.#length));
    releaseMemory(this.#bytes.buffer);
    this.#bytes = larger;
  }
}
