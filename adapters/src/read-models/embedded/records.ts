import { UnwritableDocument, type DocumentKey } from '@rollcall/application';

/**
 * A stored document: present (1) or removed (0), then the revision in 6 bytes. If present: the number of index entries; for
 * each the index's number, the length of its numbers, and these as in a key; then the value.
 */
const REVISION_AT = 1;
const ENTRIES_AT = 7;
const ENTRY_HEAD = 2;

const SCRATCH_BYTES = 1024 * 1024;

export interface Entry {
  readonly index: number;
  readonly numbers: Uint8Array;
}

export const revisionIn = (record: Buffer): number =>
  record.readUIntBE(REVISION_AT, ENTRIES_AT - REVISION_AT);

const isLive = (record: Buffer): boolean => record[0] === 1;

/** Views of the record. */
export function entriesIn(record: Buffer): Entry[] {
  const entries: Entry[] = [];
  if (!isLive(record)) return entries;
  let at = ENTRIES_AT + 1;
  for (let left = byteAt(record, ENTRIES_AT); left > 0; left -= 1) {
    const begin = at + ENTRY_HEAD;
    const end = begin + byteAt(record, at + 1);
    entries.push({ index: byteAt(record, at), numbers: record.subarray(begin, end) });
    at = end;
  }
  return entries;
}

/** A view; undefined for a removed document. */
export function valueIn(record: Buffer): Buffer | undefined {
  if (!isLive(record)) return undefined;
  let at = ENTRIES_AT + 1;
  for (let left = byteAt(record, ENTRIES_AT); left > 0; left -= 1) at += ENTRY_HEAD + byteAt(record, at + 1);
  return record.subarray(at);
}

export class RecordMaker {
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

  removed(revision: number): Buffer {
    return this.#begin(ENTRIES_AT, 0, revision);
  }

  live(revision: number, entries: readonly Entry[], value: Uint8Array): Buffer {
    const head = entries.reduce((sum, { numbers }) => sum + ENTRY_HEAD + numbers.length, ENTRIES_AT + 1);
    const record = this.#begin(head + value.length, 1, revision);
    record[ENTRIES_AT] = entries.length;
    let at = ENTRIES_AT + 1;
    for (const { index, numbers } of entries) {
      record[at] = index;
      record[at + 1] = numbers.length;
      record.set(numbers, at + ENTRY_HEAD);
      at += ENTRY_HEAD + numbers.length;
    }
    // The store takes no shared memory.
    record.set(value, at);
    return record;
  }

  #begin(size: number, live: number, revision: number): Buffer {
    const record = size > SCRATCH_BYTES ? Buffer.allocUnsafeSlow(size) : this.#scratch.subarray(0, size);
    record[0] = live;
    record.writeUIntBE(revision, REVISION_AT, ENTRIES_AT - REVISION_AT);
    return record;
  }
}

const byteAt = (record: Buffer, at: number): number => record[at] ?? 0;

/**
 * Key bytes: generation (4 bytes), collection, 0, then the parts. A number is 1 and its IEEE 754 bytes with a sortable sign;
 * a string is 2 and its UTF-16 code units, high byte first. `memcmp` orders both as `<` does in JavaScript.
 */
const NUMBER = 1;
const TEXT = 2;

/** LMDB's limit at every page size. */
const MAX_KEY_BYTES = 1978;

/** `UnwritableDocument`, without the value, for a key that no store can hold. */
export function encodeKey(space: Buffer, parts: readonly (number | string)[]): Buffer {
  let size = space.length;
  for (const part of parts) size += typeof part === 'number' ? 9 : 1 + 2 * part.length;
  checkSize(size);
  const bytes = Buffer.allocUnsafe(size);
  bytes.set(space, 0);
  let at = space.length;
  for (const part of parts)
    at = typeof part === 'number' ? writeNumber(bytes, part, at) : writeText(bytes, part, at);
  return bytes;
}

export function checkedKey(key: Buffer): Buffer {
  checkSize(key.length);
  return key;
}

function checkSize(size: number): void {
  if (size > MAX_KEY_BYTES)
    throw new UnwritableDocument(`a document key of ${size} bytes is longer than ${MAX_KEY_BYTES}`);
}

const noSpace = Buffer.alloc(0);

export const encodeNumbers = (numbers: readonly number[]): Buffer => encodeKey(noSpace, numbers);

export const numbersLength = (count: number): number => count * 9;

/** The prefix of an index's entries; numbers and the document's key follow. */
export const indexSpace = (generation: number, collection: string, index: string): Buffer =>
  keySpace(generation, `${collection}/${index}`);

export function keySpace(generation: number, collection: string): Buffer {
  const space = Buffer.alloc(4 + collection.length + 1);
  space.writeUInt32BE(generation, 0);
  space.write(collection, 4, 'latin1');
  return space;
}

export function generationSpace(generation: number): Buffer {
  const space = Buffer.alloc(4);
  space.writeUInt32BE(generation, 0);
  return space;
}

/** The first key after those with this prefix; no part begins with 0xff. */
export const behindAll = (prefix: Buffer): Buffer => Buffer.concat([prefix, Buffer.from([0xff])]);

export function decodeKey(bytes: Buffer, offset: number): DocumentKey {
  const parts: number[] = [];
  let at = offset;
  while (at < bytes.length) {
    if (bytes[at] !== NUMBER) return [...parts, readText(bytes, at + 1)];
    parts.push(readNumber(bytes, at + 1));
    at += 9;
  }
  return parts;
}

function writeNumber(bytes: Buffer, value: number, at: number): number {
  if (!Number.isFinite(value)) throw new UnwritableDocument('a number in a document key is finite');
  bytes[at] = NUMBER;
  // Adding 0 turns -0 into 0: equal numbers have equal keys.
  bytes.writeDoubleBE(value + 0, at + 1);
  flipSign(bytes, at + 1);
  return at + 9;
}

function readNumber(bytes: Buffer, at: number): number {
  const copy = Buffer.from(bytes.subarray(at, at + 8));
  if ((byteAt(copy, 0) & 0x80) === 0) for (let i = 0; i < 8; i += 1) copy[i] = byteAt(copy, i) ^ 0xff;
  else copy[0] = byteAt(copy, 0) ^ 0x80;
  return copy.readDoubleBE(0);
}

function flipSign(bytes: Buffer, at: number): void {
  if ((byteAt(bytes, at) & 0x80) === 0) bytes[at] = byteAt(bytes, at) ^ 0x80;
  else for (let i = at; i < at + 8; i += 1) bytes[i] = byteAt(bytes, i) ^ 0xff;
}

function writeText(bytes: Buffer, text: string, at: number): number {
  bytes[at] = TEXT;
  let end = at + 1;
  for (let i = 0; i < text.length; i += 1) end = bytes.writeUInt16BE(text.charCodeAt(i), end);
  return end;
}

const readText = (bytes: Buffer, at: number): string =>
  Buffer.from(bytes.subarray(at)).swap16().toString('utf16le');
