import { isDecoded } from './escapes';
import { copy, eightOf } from './memory';

/** Entries of an event, or rows; the texts of one are copied three times at most. */
export const output: usize = memory.data(196_608, 16);
let out: usize = output;

export function beginOutput(): void {
  out = output;
}
export function outputLength(): usize {
  return out - output;
}

export function addOutput(length: usize): void {
  out += length;
}

export function putByte(byte: u32): void {
  store<u8>(out++, <u8>byte);
}

export function putBytes(start: usize, end: usize): void {
  copy(out, start, end - start);
  out += end - start;
}

export function putAscii(text: string): void {
  for (let i = 0; i < text.length; i += 8) store<u64>(out + i, eightOf(text, i));
  out += text.length;
}

/** The spelling of `JSON.stringify`, without quotes. */
export function putText(start: usize, end: usize): void {
  if (!isDecoded(start)) return putBytes(start, end);
  for (let at = start; at < end; at++) {
    const byte: u32 = load<u8>(at);
    if (byte < 0x20 || byte == 0x22 || byte == 0x5c) putEscaped(byte);
    else putByte(byte);
  }
}

function putEscaped(byte: u32): void {
  putByte(0x5c);
  switch (byte) {
    case 0x08:
      return putByte(0x62);
    case 0x09:
      return putByte(0x74);
    case 0x0a:
      return putByte(0x6e);
    case 0x0c:
      return putByte(0x66);
    case 0x0d:
      return putByte(0x72);
    case 0x22:
    case 0x5c:
      return putByte(byte);
    default:
      putAscii('u00');
      putHexDigit(byte >> 4);
      return putHexDigit(byte & 15);
  }
}

function putHexDigit(digit: u32): void {
  putByte(digit < 10 ? 0x30 + digit : 0x57 + digit);
}

/** Up to 2^53. */
export function putNumber(number: u64): void {
  let power: u64 = 1;
  while (number / power >= 10) power *= 10;
  for (; power > 0; power /= 10) putByte(0x30 + <u32>((number / power) % 10));
}

export function putDigest(digest: usize): void {
  for (let word: usize = 0; word < 16; word += 4) {
    const bits = load<u32>(digest + word);
    for (let shift = 28; shift >= 0; shift -= 4) putHexDigit((bits >> shift) & 15);
  }
}
