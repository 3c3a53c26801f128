import { endOfNumber, matches } from '../json/json-tokens.js';

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const quote = 0x22;
const backslash = 0x5c;

/** What a byte means outside of texts. */
const bareKind = 0;
const textKind = 1;
const openKind = 2;
const closeKind = 3;
const endKind = 4;
const kinds = new Uint8Array(256);
kinds[quote] = textKind;
for (const byte of [0x7b, 0x5b]) kinds[byte] = openKind;
for (const byte of [0x7d, 0x5d]) kinds[byte] = closeKind;
for (const byte of [0x2c, 0x20, 0x0a, 0x0d, 0x09]) kinds[byte] = endKind;
const literals = new Map([
  [0x74, 'true'],
  [0x66, 'false'],
  [0x6e, 'null'],
]);

/** Finds the ends of JSON values in bytes. */
export class JsonSkipper {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The first position from `at` on that is no white space. */
  space(at: number): number {
    while (isSpace(this.#bytes[at])) at++;
    return at;
  }

  /** Behind the number, `true`, `false` or `null` at `at`; -1 where there is none of these. */
  scalar(at: number): number {
    const literal = literals.get(this.#bytes[at] ?? 0);
    if (literal === undefined) return endOfNumber(this.#bytes, at);
    return matches(this.#bytes, at, literal) ? at + literal.length : -1;
  }

  /** Behind the text whose opening quote stands at `at`, escapes regarded; -1 where it does not end. */
  text(at: number): number {
    for (at++; at < this.#bytes.length; at++) {
      const byte = this.#bytes[at];
      if (byte === quote) return at + 1;
      if (byte === backslash) at++;
    }
    return -1;
  }

  /**
   * Behind the value at `at`, found by quotes and brackets alone: what lies between may still be malformed.
   * -1 where it does not end.
   */
  value(at: number): number {
    const kind = kinds[this.#bytes[at] ?? 0];
    if (kind === textKind) return this.text(at);
    return kind === openKind ? this.#nested(at) : this.#bare(at);
  }

  #nested(at: number): number {
    const bytes = this.#bytes;
    let depth = 0;
    while (at < bytes.length) {
      const kind = kinds[bytes[at] ?? 0];
      if (kind === textKind) {
        at = this.text(at);
        if (at < 0) return -1;
        continue;
      }
      at++;
      if (kind === openKind) depth++;
      else if (kind === closeKind && --depth === 0) return at;
    }
    return -1;
  }

  /** Behind a run of bytes without any structure; at least one. */
  #bare(at: number): number {
    const start = at;
    while (at < this.#bytes.length && kinds[this.#bytes[at] ?? 0] === bareKind) at++;
    return at === start ? -1 : at;
  }
}
