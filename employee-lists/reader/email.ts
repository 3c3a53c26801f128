import { putCodePoint } from './escapes';
import { fillPage } from './host';

const mostPoints = 254;
const mostLabel = 63;

const local: u32 = 1;
const alphanumeric: u32 = 2;
const hyphen: u32 = 4;

/** Per ASCII character; written by the host. */
export const asciiLetters: usize = memory.data(128);
/** Letters beyond ASCII, in pages of 256 that the host fills on first use: the folded letter, or 0 if not allowed. */
const pageOfNumber: usize = memory.data(17_408);
const pages: usize = memory.data(1_048_576, 16);
const withoutLetters: usize = memory.data(1_024, 16);
const pageBytes: usize = 1_024;
const endOfPages: usize = pages + 1_048_576;
let nextPage: usize = pages;

/** Marks U+0130, which folds to two letters. */
const dottedI: u32 = 0x110000;

export const folded: usize = memory.data(1_056, 16);
export let foldedEnd: usize = folded;

let at: usize = 0;

/** Whether a text is an address by the rule (docs/contract, "Email"); then it is folded. */
export function readEmail(start: usize, end: usize, points: i32): bool {
  if (points > mostPoints) return false;
  foldedEnd = folded;
  at = start;
  let letters = 0;
  for (; at < end && load<u8>(at) != 0x40; letters++) if ((readLetter() & local) == 0) return false;
  if (letters == 0 || at >= end) return false;
  putFolded(0x40);
  at++;
  return readDomain(end);
}

/** Labels of letters, digits and inner hyphens, at most 63 long, with at least one dot between them. */
function readDomain(end: usize): bool {
  let dots = 0;
  let length = 0;
  let last = hyphen;
  while (at < end) {
    if (load<u8>(at) == 0x2e) {
      if (last == hyphen || length > mostLabel) return false;
      at++;
      putFolded(0x2e);
      dots++;
      length = 0;
      last = hyphen;
    } else {
      const kind = readLetter();
      if ((kind & (alphanumeric | hyphen)) == 0 || (length == 0 && kind & hyphen)) return false;
      last = kind & hyphen ? hyphen : alphanumeric;
      length++;
    }
  }
  return dots > 0 && last != hyphen && length <= mostLabel;
}

function putFolded(byte: u32): void {
  store<u8>(foldedEnd++, <u8>byte);
}

function readLetter(): u32 {
  const byte: u32 = load<u8>(at);
  if (byte >= 0x80) return readWide(byte);
  at++;
  putFolded(byte - 0x41 < 26 ? byte | 0x20 : byte);
  return load<u8>(asciiLetters + byte);
}

function readWide(first: u32): u32 {
  const length: usize = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  let point = first & (0xff >> (<u32>(length + 1)));
  for (let i: usize = 1; i < length; i++) point = (point << 6) | (load<u8>(at + i) & 0x3f);
  if (point > 0x10ffff) return 0;
  const letter = load<u32>(pageOf(point >> 8) + <usize>(point & 255) * 4);
  if (letter == 0) return 0;
  at += length;
  foldedEnd = putCodePoint(foldedEnd, letter == dottedI ? 0x69 : letter);
  if (letter == dottedI) foldedEnd = putCodePoint(foldedEnd, 0x307);
  return local | alphanumeric;
}

function pageOf(number: u32): usize {
  const place = pageOfNumber + <usize>number * 4;
  const known: usize = load<u32>(place);
  if (known != 0) return known;
  if (nextPage == endOfPages) unreachable();
  const page = fillPage(number, nextPage) ? nextPage : withoutLetters;
  if (page == nextPage) nextPage += pageBytes;
  store<u32>(place, <u32>page);
  return page;
}
