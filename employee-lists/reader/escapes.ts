import { windowBytes } from './memory';
import { Breach, noteBreach } from './strict';

export const decoded: usize = memory.data(1_130_560, 16);
const decodedEnd: usize = decoded + windowBytes;
let next: usize = decoded;

export let decodedPoints: i32 = 0;
export function endOfDecoded(): usize {
  return next;
}

export function forgetDecoded(): void {
  next = decoded;
}

/** Only a decoded text can contain characters that need an escape in the output. */
export function isDecoded(start: usize): bool {
  return start >= decoded && start < decodedEnd;
}

/** Decodes the text after the quote at `start - 1`. Notes NUL and lone surrogates as breaches. */
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

function decodeEscape(at: usize): usize {
  const letter = load<u8>(at);
  if (letter == 0x75) return decodeUnit(at + 1);
  const byte = simpleEscape(letter);
  if (byte == 0) return 0;
  put(byte);
  return at + 1;
}

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
  if (unit < 0) return 0;
  if (unit == 0) noteBreach(Breach.nul, at - 2);
  if ((unit & 0xf800) != 0xd800) {
    next = putCodePoint(next, unit);
    return at + 4;
  }
  const isHigh = (unit & 0x400) == 0 && load<u16>(at + 4) == 0x755c;
  const low = isHigh ? hex4(at + 6) : -1;
  if (low < 0 || (low & 0xfc00) != 0xdc00) {
    noteBreach(Breach.surrogate, at - 2);
    put(0x3f);
    return at + 4;
  }
  next = putCodePoint(next, 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff));
  return at + 10;
}

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
