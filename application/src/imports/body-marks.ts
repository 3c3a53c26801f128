import { createHash } from 'node:crypto';
import type { IgnoredFields } from '@rollcall/employee-lists/text';
import { LruCache } from '../lru-cache.js';

const markEvery = 1024 * 1024;

/** `marks`: the SHA-256 of the body up to each full MiB, base64; `sha256`: of the whole body, hex. */
export interface BodyMarks {
  readonly marks: readonly string[];
  readonly sha256: string;
}

export class MarkedHash {
  readonly #hash = createHash('sha256');
  readonly #known: BodyMarks | undefined;
  readonly #marks: string[] = [];
  #length = 0;
  #isKnown: boolean;

  constructor(known: BodyMarks | undefined) {
    this.#known = known;
    this.#isKnown = known !== undefined;
  }

  /** True while the body equals the remembered one, as far as both were compared. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  update(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const length = Math.min(bytes.length - at, markEvery - (this.#length % markEvery));
      this.#hash.update(bytes.subarray(at, at + length));
      this.#length += length;
      at += length;
      if (this.#length % markEvery === 0) this.#mark();
    }
  }

  /** Call it once, after the last byte. */
  finish(): BodyMarks {
    const sha256 = this.#hash.digest('hex');
    this.#isKnown &&= sha256 === this.#known?.sha256;
    return { marks: this.#marks, sha256 };
  }

  #mark(): void {
    const mark = this.#hash.copy().digest('base64');
    this.#isKnown &&= mark === this.#known?.marks[this.#marks.length];
    this.#marks.push(mark);
  }
}

const mostFieldsBytes = 4 * 1024 * 1024;
/** Callers choose the names: a body with more than this of them is read again. */
const mostBytesOfBody = 2 * 1024;

/** Unknown members of valid bodies, by their SHA-256: a body that comes again is not read for them. */
export class KnownIgnoredFields {
  readonly #fields = new LruCache<string, IgnoredFields>({ most: mostFieldsBytes, sizeOf: bytesOf });

  of(sha256: string): IgnoredFields | undefined {
    return this.#fields.get(sha256);
  }

  remember(sha256: string, fields: IgnoredFields): void {
    if (bytesOf(fields) <= mostBytesOfBody) this.#fields.set(sha256, fields);
  }
}

/** With the hash, about. */
function bytesOf(fields: IgnoredFields): number {
  return Object.keys(fields).reduce((sum, name) => sum + 16 + 2 * name.length, 200);
}
