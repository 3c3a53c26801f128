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
