/* eslint-disable complexity -- as in element-reader.ts */
import { maxDimensionNameLength, maxDimensionValueLength } from './fields.js';
import type { JsonSkipper } from './json-skipper.js';
import { hasInk, type PlainText } from './plain-text.js';

const quote = 0x22;
const colon = 0x3a;
const comma = 0x2c;
const closeBrace = 0x7d;
const letterN = 0x6e;
/** More are read the slow way. */
const maxDimensions = 32;

/** Reads the plain Dimensions of one employee and keeps them sorted by name. */
export class PlainDimensions {
  /** For each: start and end of its name, start and end of its value. */
  readonly ranges = new Int32Array(maxDimensions * 4);
  count = 0;
  readonly #bytes: Uint8Array;
  readonly #text: PlainText;
  readonly #skipper: JsonSkipper;

  constructor(bytes: Uint8Array, text: PlainText, skipper: JsonSkipper) {
    this.#bytes = bytes;
    this.#text = text;
    this.#skipper = skipper;
  }

  /** A null is absent, but its name may not come again. */
  #null(nameStart: number, nameEnd: number, at: number): number {
    const end = this.#skipper.scalar(at);
    return end >= 0 && this.#insert([nameStart, nameEnd, -1, -1]) ? end : -1;
  }

  /** Takes out those that are null, once all were read. */
  dropNulls(): void {
    for (let i = this.count - 1; i >= 0; i--) if ((this.ranges[i * 4 + 2] as number) < 0) this.remove(i);
  }

  /** Takes one out; those behind it move up. */
  remove(index: number): void {
    this.ranges.copyWithin(index * 4, index * 4 + 4, this.count * 4);
    this.count--;
  }

  /** Reads the members behind the opening brace; the position behind the closing one, or -1. */
  read(start: number): number {
    this.count = 0;
    let at = this.#skipper.space(start);
    if (this.#bytes[at] === closeBrace) return at + 1;
    for (;;) {
      at = this.#dimension(at);
      if (at < 0) return -1;
      at = this.#skipper.space(at);
      if (this.#bytes[at] === closeBrace) return at + 1;
      if (this.#bytes[at] !== comma) return -1;
      at = this.#skipper.space(at + 1);
    }
  }

  #dimension(at: number): number {
    if (this.#bytes[at] !== quote) return -1;
    const nameEnd = this.#text.end(at + 1);
    if (nameEnd < 0 || !this.#isPlainName(at + 1, nameEnd)) return -1;
    let next = this.#skipper.space(nameEnd + 1);
    if (this.#bytes[next] !== colon) return -1;
    next = this.#skipper.space(next + 1);
    if (this.#bytes[next] === letterN) return this.#null(at + 1, nameEnd, next);
    if (this.#bytes[next] !== quote) return -1;
    const valueEnd = this.#text.end(next + 1);
    if (valueEnd < 0 || this.#text.points > maxDimensionValueLength) return -1;
    return this.#insert([at + 1, nameEnd, next + 1, valueEnd]) ? valueEnd + 1 : -1;
  }

  /** Of the name that was scanned last. */
  #isPlainName(start: number, end: number): boolean {
    if (this.#text.points > maxDimensionNameLength || !hasInk(this.#bytes, start, end)) return false;
    // Beyond U+DFFF the order of bytes is not the order of code units; "_" could be `__proto__`.
    return this.#bytes[start] !== 0x5f && !this.#hasHighByte(start, end);
  }

  #hasHighByte(start: number, end: number): boolean {
    for (let i = start; i < end; i++) if ((this.#bytes[i] ?? 0) >= 0xee) return true;
    return false;
  }

  /** Keeps the dimensions sorted by name; false where there are too many, or one comes twice. */
  #insert(entry: readonly [number, number, number, number]): boolean {
    if (this.count === maxDimensions) return false;
    let place = this.count;
    for (; place > 0; place--) {
      const order = this.#compareNames(entry[0], entry[1], (place - 1) * 4);
      if (order === 0) return false;
      if (order > 0) break;
      this.ranges.copyWithin(place * 4, (place - 1) * 4, place * 4);
    }
    this.ranges.set(entry, place * 4);
    this.count++;
    return true;
  }

  #compareNames(start: number, end: number, other: number): number {
    const otherStart = this.ranges[other] ?? 0;
    const otherEnd = this.ranges[other + 1] ?? 0;
    const length = Math.min(end - start, otherEnd - otherStart);
    for (let i = 0; i < length; i++) {
      const difference = (this.#bytes[start + i] ?? 0) - (this.#bytes[otherStart + i] ?? 0);
      if (difference !== 0) return difference;
    }
    return end - start - (otherEnd - otherStart);
  }
}
