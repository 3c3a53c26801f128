import { putCodePoint } from './escapes';
import { fillPage } from './host';

const mostPoints = 254;
const mostLabel = 63;

/** What a letter may be in an address. */
const local: u32 = 1;
const alphanumeric: u32 = 2;
const hyphen: u32 = 4;

/** Of each ASCII character, written by the host. */
export const asciiLetters: usize = memory.data(128);
/**
 * Beyond ASCII, letters stand on pages of 256, which the host fills as they are met. A page says of each letter what it is
 * folded to, or 0 where it stands in no address. Where one page too many is met, its letters are left to the rules in full.
 */
const pageOfNumber: usize = memory.data(17_408);
const pages: usize = memory.data(131_072, 16);
const pageBytes: usize = 1_024;
const endOfPages: usize = pages + 131_072;
let nextPage: usize = pages;

/** The address that was read last, as addresses are compared. */
export const folded: usize = memory.data(1_056, 16);
export let foldedEnd: usize = folded;

let at: usize = 0;

/**
 * Whether a text is an address by the rule (docs/contract, "Email"); then it is folded. False where that is left to the
 * rules in full.
 */
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

/** Over one letter, whose folded form is written. What it is; 0 where it stands in no address. */
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
  const page = point > 0x10ffff ? 0 : pageOf(point >> 8);
  const letter: u32 = page == 0 ? 0 : load<u32>(page + <usize>(point & 255) * 4);
  if (letter == 0) return 0;
  at += length;
  foldedEnd = putCodePoint(foldedEnd, letter);
  return local | alphanumeric;
}

/** Where a page lies; 0 where there is no room for it. */
function pageOf(number: u32): usize {
  const place = pageOfNumber + <usize>number * 4;
  const page: usize = load<u32>(place);
  if (page != 0) return page;
  if (nextPage == endOfPages) return 0;
  fillPage(number, nextPage);
  store<u32>(place, <u32>nextPage);
  nextPage += pageBytes;
  return nextPage - pageBytes;
}
