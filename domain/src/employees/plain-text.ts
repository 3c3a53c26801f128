const quote = 0x22;

/** What a byte means inside a text. */
const plainByte = 0;
const quoteByte = 1;
const badByte = 2;
const leadByte = 3;
const innerByte = 4;
const byteKinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === quote) return quoteByte;
  if (byte < 0x20 || byte === 0x5c) return badByte;
  if (byte < 0x80) return plainByte;
  return byte < 0xc0 ? innerByte : leadByte;
});

/** Whether the first two bytes of a longer character could begin white space: U+1680, U+2000 and on, U+3000, U+FEFF. */
const mayBeSpace = (first: number, second: number): boolean =>
  (first === 0xe1 && second === 0x9a) ||
  (first === 0xe2 && second <= 0x81) ||
  (first === 0xe3 && second === 0x80) ||
  (first === 0xef && second === 0xbb);

/** Scans texts that need no decoding. */
export class PlainText {
  /** Whether the text that was scanned last has bytes behind 0x7F. */
  wide = false;
  /** Its Unicode code points. */
  points = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The position of the closing quote; -1 where there is none, or an escape or a control character comes first. */
  end(start: number): number {
    const bytes = this.#bytes;
    const length = bytes.length;
    let inner = 0;
    let wide = 0;
    let at = start;
    for (; at < length; at++) {
      const kind = byteKinds[bytes[at] as number] as number;
      if (kind === plainByte) continue;
      if (kind === quoteByte) break;
      if (kind === badByte) return -1;
      wide = 1;
      if (kind === innerByte) inner++;
    }
    this.wide = wide > 0;
    this.points = at - start - inner;
    return at < length ? at : -1;
  }
}

/** Whether two ranges of bytes are the same. */
// eslint-disable-next-line max-params -- two ranges of one buffer, compared for each member: no objects for them
export function sameBytes(
  bytes: Uint8Array,
  start: number,
  end: number,
  other: number,
  otherEnd: number,
): boolean {
  if (end - start !== otherEnd - other) return false;
  for (let i = 0; i < end - start; i++) if (bytes[start + i] !== bytes[other + i]) return false;
  return true;
}

/** Whether a text has a character that is surely no white space. The others are left to the rule in full. */
export function hasInk(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte > 0x20 && byte < 0x7f) return true;
    // All of 2 bytes but those with NBSP.
    if (byte > 0xc2 && byte < 0xe0) return true;
    if (byte >= 0xe0 && !mayBeSpace(byte, bytes[i + 1] as number)) return true;
  }
  return false;
}
