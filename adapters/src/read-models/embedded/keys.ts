import { UnwritableDocument, type DocumentKey } from '@rollcall/application';

/**
 * Ordered keys as bytes: generation (4 bytes), collection, 0, then the parts. A number is 1 and its IEEE 754 bytes with
 * the sign made sortable; a string is 2 and its UTF-16 code units, high byte first. So `memcmp` orders numbers by value
 * and strings by code unit, the same as `<` does in JavaScript.
 */
const NUMBER = 1;
const TEXT = 2;

/** What LMDB takes at every size of page. */
const MAX_KEY_BYTES = 1978;

export type KeyPart = number | string;

/** `UnwritableDocument` for a key that no store could hold: its value is not repeated. */
export function encodeKey(space: Buffer, parts: readonly KeyPart[]): Buffer {
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

/** `UnwritableDocument` for one that is too long. */
export function checkedKey(key: Buffer): Buffer {
  checkSize(key.length);
  return key;
}

function checkSize(size: number): void {
  if (size > MAX_KEY_BYTES)
    throw new UnwritableDocument(`a document key of ${size} bytes is longer than ${MAX_KEY_BYTES}`);
}

/** Numbers as they stand in a key. */
export const encodeNumbers = (numbers: readonly number[]): Buffer => encodeKey(Buffer.alloc(0), numbers);

/** How many bytes so many numbers take in a key. */
export const numbersLength = (count: number): number => count * 9;

/** What all entries of an index begin with; behind it come their numbers and the rest of the document's key. */
export const indexSpace = (generation: number, collection: string, index: string): Buffer =>
  keySpace(generation, `${collection}/${index}`);

/** What all keys of a collection begin with. */
export function keySpace(generation: number, collection: string): Buffer {
  const space = Buffer.alloc(4 + collection.length + 1);
  space.writeUInt32BE(generation, 0);
  space.write(collection, 4, 'latin1');
  return space;
}

/** What all keys of a generation begin with. */
export function generationSpace(generation: number): Buffer {
  const space = Buffer.alloc(4);
  space.writeUInt32BE(generation, 0);
  return space;
}

/** The first key behind all those that begin with these bytes; no part begins with 0xff. */
export const behindAll = (prefix: Buffer): Buffer => Buffer.concat([prefix, Buffer.from([0xff])]);

/** The parts behind the first `offset` bytes, as `encodeKey` got them. */
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
  // Adding 0 turns -0 into 0: one number has one key.
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
  const end = at + 1 + bytes.write(text, at + 1, 'utf16le');
  bytes.subarray(at + 1, end).swap16();
  return end;
}

const readText = (bytes: Buffer, at: number): string =>
  Buffer.from(bytes.subarray(at)).swap16().toString('utf16le');

const byteAt = (bytes: Buffer, at: number): number => bytes[at] ?? 0;
