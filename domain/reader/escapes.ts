import { longestElement } from './memory';

/** Texts of one element, their escapes resolved. */
export const decoded: usize = memory.data(12_064, 16);
const decodedEnd: usize = decoded + longestElement;
let next: usize = decoded;

/** Code points of the text that was decoded last, and where it ends. */
export let decodedPoints: i32 = 0;
export function endOfDecoded(): usize {
  return next;
}

/** To be called for each element: what was decoded before it is over. */
export function forgetDecoded(): void {
  next = decoded;
}

/** Whether a text was decoded: only such a one may hold what has to be escaped when it is written. */
export function isDecoded(start: usize): bool {
  return start >= decoded && start < decodedEnd;
}

/**
 * Decodes the text behind the quote at `start - 1` to where the last one ended. Behind its closing quote; 0 where it is not
 * sound: no end, a control character, an unknown escape, NUL or half a surrogate pair.
 */
export function decodeText(start: usize): usize {
  decodedPoints = 0;
  let at = start;
  while (true) {
    const byte = load<u8>(at);
    if (byte == 0x22) return at + 1;
    if (byte < 0x20 || next + 4 > decodedEnd) return 0;
    if (byte == 0x5c) {
      at = decodeEscape(at + 1);
      if (at == 0) return 0;
      decodedPoints++;
    } else {
      if ((byte & 0xc0) != 0x80) decodedPoints++;
      put(byte);
      at++;
    }
  }
}

function put(byte: u32): void {
  store<u8>(next++, <u8>byte);
}

/** Behind the escape whose letter stands at `at`. */
function decodeEscape(at: usize): usize {
  const letter = load<u8>(at);
  if (letter == 0x75) return decodeUnit(at + 1);
  const byte = simpleEscape(letter);
  if (byte == 0) return 0;
  put(byte);
  return at + 1;
}

/** What a letter behind a backslash stands for; 0 where it is none. */
function simpleEscape(letter: u32): u32 {
  switch (letter) {
    case 0x22: // "
    case 0x5c: // \
    case 0x2f: // /
      return letter;
    case 0x62: // b
      return 0x08;
    case 0x66: // f
      return 0x0c;
    case 0x6e: // n
      return 0x0a;
    case 0x72: // r
      return 0x0d;
    case 0x74: // t
      return 0x09;
    default:
      return 0;
  }
}

function decodeUnit(at: usize): usize {
  const unit = hex4(at);
  if (unit <= 0 || (unit & 0xfc00) == 0xdc00) return 0;
  if ((unit & 0xfc00) != 0xd800) {
    next = putCodePoint(next, unit);
    return at + 4;
  }
  const low = load<u16>(at + 4) == 0x755c ? hex4(at + 6) : -1;
  if ((low & 0xfc00) != 0xdc00 || low < 0) return 0;
  next = putCodePoint(next, 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff));
  return at + 10;
}

/** The value of four hexadecimal digits; -1 where they are none. */
function hex4(at: usize): i32 {
  let value: i32 = 0;
  for (let i: usize = 0; i < 4; i++) {
    const digit = hexDigit(load<u8>(at + i));
    if (digit < 0) return -1;
    value = (value << 4) | digit;
  }
  return value;
}

function hexDigit(byte: u32): i32 {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** Writes a code point in UTF-8. Behind it. */
export function putCodePoint(to: usize, point: u32): usize {
  if (point < 0x80) {
    store<u8>(to, <u8>point);
    return to + 1;
  }
  const length: usize = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  let rest = point;
  for (let i = length - 1; i > 0; i--) {
    store<u8>(to + i, <u8>(0x80 | (rest & 0x3f)));
    rest >>= 6;
  }
  store<u8>(to, <u8>((0xf00 >> (<u32>length)) | rest));
  return to + length;
}
