const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

const quote = 0x22;
const backslash = 0x5c;

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
    switch (this.#bytes[at]) {
      case 0x74:
        return this.#literal(at, 'true');
      case 0x66:
        return this.#literal(at, 'false');
      case 0x6e:
        return this.#literal(at, 'null');
      default:
        return this.#number(at);
    }
  }

  #literal(at: number, text: string): number {
    for (let i = 0; i < text.length; i++) if (this.#bytes[at + i] !== text.charCodeAt(i)) return -1;
    return at + text.length;
  }

  #number(at: number): number {
    if (this.#bytes[at] === 0x2d) at++;
    const whole = this.#digits(at);
    if (whole === at || (this.#bytes[at] === 0x30 && whole > at + 1)) return -1;
    at = whole;
    if (this.#bytes[at] === 0x2e) {
      const fraction = this.#digits(at + 1);
      if (fraction === at + 1) return -1;
      at = fraction;
    }
    return this.#exponent(at);
  }

  #exponent(at: number): number {
    if (((this.#bytes[at] ?? 0) | 0x20) !== 0x65) return at;
    at++;
    if (this.#bytes[at] === 0x2b || this.#bytes[at] === 0x2d) at++;
    const end = this.#digits(at);
    return end === at ? -1 : end;
  }

  #digits(at: number): number {
    while (isDigit(this.#bytes[at])) at++;
    return at;
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
    const first = this.#bytes[at];
    if (first === quote) return this.text(at);
    if (first !== 0x7b && first !== 0x5b) return this.#bare(at);
    let depth = 0;
    while (at < this.#bytes.length) {
      const byte = this.#bytes[at] ?? 0;
      if (byte === quote) {
        at = this.text(at);
        if (at < 0) return -1;
        continue;
      }
      at++;
      if (byte === 0x7b || byte === 0x5b) depth++;
      else if ((byte === 0x7d || byte === 0x5d) && --depth === 0) return at;
    }
    return -1;
  }

  /** Behind a run of bytes without any structure; at least one. */
  #bare(at: number): number {
    const start = at;
    while (at < this.#bytes.length && !isSpace(this.#bytes[at]) && !',]}'.includes(String.fromCharCode(this.#bytes[at] ?? 0)))
      at++;
    return at === start ? -1 : at;
  }
}
