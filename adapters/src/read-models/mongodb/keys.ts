import { UnwritableDocument, type DocumentKey } from '@rollcall/application';

/**
 * Keys as strings whose UTF-8 bytes sort as the port requires, without collation. A number is `n` and its sortable IEEE 754
 * bits in 16 hex digits. A text is `t` and its UTF-16 code units, one code point each: those from D800 on move to the end; 1
 * escapes 0 and 1, as no string holds a NUL.
 */
const NUMBER = 'n';
const TEXT = 't';

const BEHIND_PARTS = 'u';

const NUMBER_DIGITS = 16;
const FIRST_MOVED_UNIT = 0xd800;
const MOVED_TO = 0x10000;

/** Holds every key of the embedded adapter: 2 bytes per UTF-16 code unit there, at most 4 here. */
const MAX_KEY_BYTES = 3_950;

/** `UnwritableDocument`, without the value, for an invalid or too long key. */
export function encodeKey(parts: DocumentKey): string {
  let key = '';
  for (const part of parts) key += typeof part === 'number' ? encodeNumber(part) : encodeText(part);
  const size = Buffer.byteLength(key);
  if (size > MAX_KEY_BYTES)
    throw new UnwritableDocument(`a document key of ${size} bytes is longer than ${MAX_KEY_BYTES}`);
  return key;
}

export const behindAll = (prefix: string): string => prefix + BEHIND_PARTS;

export function decodeKey(key: string): DocumentKey {
  const parts: number[] = [];
  let at = 0;
  while (at < key.length) {
    if (key[at] !== NUMBER) return [...parts, decodeText(key.slice(at + 1))];
    parts.push(decodeNumber(key.slice(at + 1, at + 1 + NUMBER_DIGITS)));
    at += 1 + NUMBER_DIGITS;
  }
  return parts;
}

const bits = new DataView(new ArrayBuffer(8));
const SIGN = 1n << 63n;

function encodeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new UnwritableDocument('a number in a document key is finite');
  // Adding 0 turns -0 into 0: equal numbers have equal keys.
  bits.setFloat64(0, value + 0);
  const plain = bits.getBigUint64(0);
  const sortable = (plain & SIGN) === 0n ? plain | SIGN : BigInt.asUintN(64, ~plain);
  return NUMBER + sortable.toString(16).padStart(NUMBER_DIGITS, '0');
}

function decodeNumber(digits: string): number {
  const sortable = BigInt(`0x${digits}`);
  bits.setBigUint64(0, (sortable & SIGN) === 0n ? BigInt.asUintN(64, ~sortable) : sortable ^ SIGN);
  return bits.getFloat64(0);
}

function encodeText(text: string): string {
  let encoded = TEXT;
  for (let i = 0; i < text.length; i += 1) encoded += encodeUnit(text.charCodeAt(i));
  return encoded;
}

function encodeUnit(unit: number): string {
  if (unit <= 1) return String.fromCharCode(1, unit + 1);
  return String.fromCodePoint(unit < FIRST_MOVED_UNIT ? unit : unit - FIRST_MOVED_UNIT + MOVED_TO);
}

function decodeText(encoded: string): string {
  let text = '';
  let escaped = false;
  for (const character of encoded) {
    const unit = unitOf(character.codePointAt(0) ?? 0);
    if (!escaped && unit === 1) {
      escaped = true;
      continue;
    }
    text += String.fromCharCode(escaped ? unit - 1 : unit);
    escaped = false;
  }
  return text;
}

const unitOf = (codePoint: number): number =>
  codePoint < MOVED_TO ? codePoint : codePoint - MOVED_TO + FIRST_MOVED_UNIT;
