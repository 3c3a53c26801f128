import { decodeText, decodedPoints, endOfDecoded } from './escapes';

export let textStart: usize = 0;
export let textEnd: usize = 0;
export let textPoints: i32 = 0;

const quotes = i8x16.splat(0x22);
const backslashes = i8x16.splat(0x5c);
const spaces = i8x16.splat(0x20);
const firstLead = i8x16.splat(-64);

/** The address behind the closing quote. The zeros behind the window's end are no valid end of a text. */
export function readText(quote: usize): usize {
  const start = quote + 1;
  let at = start;
  let points = 0;
  let stops = 0;
  while (true) {
    const bytes = v128.load(at);
    const ends = v128.or(i8x16.eq(bytes, quotes), i8x16.eq(bytes, backslashes));
    stops = i8x16.bitmask(v128.or(ends, i8x16.lt_u(bytes, spaces)));
    const inner = i8x16.bitmask(i8x16.lt_s(bytes, firstLead));
    if (stops != 0) {
      const length = ctz(stops);
      points += length - popcnt(inner & ((1 << length) - 1));
      at += length;
      break;
    }
    points += 16 - popcnt(inner);
    at += 16;
  }
  if (load<u8>(at) != 0x22) return readEscaped(start, load<u8>(at));
  textStart = start;
  textEnd = at;
  textPoints = points;
  return at + 1;
}

function readEscaped(start: usize, stop: u32): usize {
  if (stop != 0x5c) return 0;
  textStart = endOfDecoded();
  const behind = decodeText(start);
  textEnd = endOfDecoded();
  textPoints = decodedPoints;
  return behind;
}

export function space(at: usize): usize {
  let byte = load<u8>(at);
  while (byte <= 0x20 && (byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09))
    byte = load<u8>(++at);
  return at;
}

export function hasInk(start: usize, end: usize): bool {
  let at = start;
  while (at < end) {
    const byte: u32 = load<u8>(at);
    if (byte < 0x80) {
      if (byte > 0x20 || byte < 0x09 || (byte > 0x0d && byte < 0x20)) return true;
      at++;
    } else {
      const length = isWideSpace(at, byte);
      if (length == 0) return true;
      at += length;
    }
  }
  return false;
}

function isWideSpace(at: usize, first: u32): usize {
  const second: u32 = load<u8>(at + 1);
  if (first == 0xc2) return second == 0xa0 ? 2 : 0;
  const rest = (second << 8) | load<u8>(at + 2);
  if (first == 0xe2) return isGeneralSpace(rest) ? 3 : 0;
  const isOther =
    (first == 0xe1 && rest == 0x9a80) ||
    (first == 0xe3 && rest == 0x8080) ||
    (first == 0xef && rest == 0xbbbf);
  return isOther ? 3 : 0;
}

/** U+2000 to U+200A, U+2028, U+2029, U+202F and U+205F, without their first byte. */
function isGeneralSpace(rest: u32): bool {
  if (rest >= 0x8080 && rest <= 0x808a) return true;
  return rest == 0x80a8 || rest == 0x80a9 || rest == 0x80af || rest == 0x819f;
}
