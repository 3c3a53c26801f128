import { endOfNumber, hex4, matches } from './json-tokens.js';

/** `at`: byte offset from 0; `what`: the rule in words. */
export interface JsonProblem {
  readonly at: number;
  readonly what: string;
}

export const maxJsonDepth = 64;

export const breaches = {
  nul: 'NUL',
  surrogate: 'a lone surrogate',
  repeatedName: 'a member name that stands twice in its object',
  forbiddenName: 'a forbidden member name',
  nesting: `more than ${maxJsonDepth} levels of nesting`,
} as const;

interface Level {
  readonly names: Set<string> | undefined;
  name: string;
}

const quote = 0x22;
const backslash = 0x5c;
const literals = new Map([
  [0x74, 'true'],
  [0x66, 'false'],
  [0x6e, 'null'],
]);

/** Names that reach a prototype when code copies members carelessly. */
const isPoison = (name: string, parent: Level | undefined): boolean =>
  name === '__proto__' || (name === 'prototype' && parent?.name === 'constructor');

/** Checks JSON byte by byte without recursion. The bytes must be valid UTF-8. */
export class JsonScanner {
  readonly #bytes: Buffer;
  readonly #maxDepth: number;
  readonly #levels: Level[] = [];
  #at = 0;
  #problem: JsonProblem | undefined;

  constructor(bytes: Uint8Array, maxDepth = maxJsonDepth) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#maxDepth = maxDepth;
  }

  /** The first problem; undefined for one JSON value within the rules. */
  scan(): JsonProblem | undefined {
    this.#space();
    if (this.#at === this.#bytes.length) return { at: this.#at, what: 'no value' };
    while (this.#value()) {
      if (this.#afterValue()) break;
    }
    return this.#problem;
  }

  #fail(what: string, at = this.#at): false {
    this.#problem ??= { at, what: at >= this.#bytes.length ? 'the text ends too early' : what };
    return false;
  }

  #space(): void {
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.#at++;
    }
  }

  #value(): boolean {
    for (;;) {
      this.#space();
      const byte = this.#bytes[this.#at];
      if (byte === 0x7b || byte === 0x5b) {
        const entered = this.#enter(byte === 0x7b);
        if (entered !== 'more') return entered === 'empty';
      } else if (byte === quote) {
        return this.#text();
      } else {
        return this.#scalar(byte);
      }
    }
  }

  #enter(isObject: boolean): 'more' | 'empty' | 'failed' {
    if (this.#levels.length === this.#maxDepth) {
      this.#fail(breaches.nesting);
      return 'failed';
    }
    this.#at++;
    this.#space();
    if (this.#bytes[this.#at] === (isObject ? 0x7d : 0x5d)) {
      this.#at++;
      return 'empty';
    }
    this.#levels.push({ names: isObject ? new Set() : undefined, name: '' });
    return !isObject || this.#name() ? 'more' : 'failed';
  }

  #scalar(byte: number | undefined): boolean {
    const literal = byte === undefined ? undefined : literals.get(byte);
    if (literal !== undefined) {
      if (!matches(this.#bytes, this.#at, literal)) return this.#fail('unexpected character');
      this.#at += literal.length;
      return true;
    }
    const end = endOfNumber(this.#bytes, this.#at);
    if (end < 0) return this.#fail('unexpected character');
    this.#at = end;
    return true;
  }

  /** Reads a separator, or closing brackets up to one. True at the end, and after a problem. */
  #afterValue(): boolean {
    for (;;) {
      this.#space();
      const level = this.#levels.at(-1);
      if (level === undefined) {
        if (this.#at < this.#bytes.length) this.#fail('text after the end of the value');
        return true;
      }
      const byte = this.#bytes[this.#at];
      if (byte === 0x2c) {
        this.#at++;
        return level.names !== undefined && !this.#name();
      }
      if (byte !== (level.names ? 0x7d : 0x5d)) return !this.#fail('unexpected character');
      this.#at++;
      this.#levels.pop();
    }
  }

  #name(): boolean {
    this.#space();
    const start = this.#at;
    if (this.#bytes[start] !== quote) return this.#fail('no member name');
    if (!this.#text()) return false;
    const written = this.#bytes.toString('utf8', start + 1, this.#at - 1);
    const name = written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written;
    if (!this.#admit(name, start)) return false;
    this.#space();
    if (this.#bytes[this.#at] !== 0x3a) return this.#fail('no colon after a member name');
    this.#at++;
    return true;
  }

  #admit(name: string, start: number): boolean {
    const level = this.#levels.at(-1);
    if (!level?.names) return this.#fail('unexpected character', start);
    if (level.names.has(name)) return this.#fail(breaches.repeatedName, start);
    if (isPoison(name, this.#levels.at(-2))) return this.#fail(breaches.forbiddenName, start);
    level.names.add(name);
    level.name = name;
    return true;
  }

  #text(): boolean {
    this.#at++;
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte === quote) {
        this.#at++;
        return true;
      }
      if (byte === undefined) return this.#fail('');
      if (byte < 0x20) return this.#fail(byte === 0 ? breaches.nul : 'a control character in a text');
      if (byte !== backslash) this.#at++;
      else if (!this.#escape()) return false;
    }
  }

  #escape(): boolean {
    const start = this.#at;
    const letter = this.#bytes[start + 1];
    if (letter === undefined) return this.#fail('', start + 1);
    if (letter !== 0x75) {
      if (!'"\\/bfnrt'.includes(String.fromCharCode(letter))) return this.#fail('an unknown escape');
      this.#at += 2;
      return true;
    }
    const unit = hex4(this.#bytes, start + 2);
    if (unit < 0) return this.#fail('an unknown escape');
    if (unit === 0) return this.#fail(breaches.nul);
    this.#at += 6;
    return unit < 0xd800 || unit > 0xdfff || this.#surrogate(unit, start);
  }

  #surrogate(unit: number, start: number): boolean {
    const isPair =
      unit < 0xdc00 &&
      matches(this.#bytes, this.#at, '\\u') &&
      (hex4(this.#bytes, this.#at + 2) & 0xfc00) === 0xdc00;
    if (!isPair) return this.#fail(breaches.surrogate, start);
    this.#at += 6;
    return true;
  }
}
