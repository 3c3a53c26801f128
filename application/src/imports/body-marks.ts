import { createHash } from 'node:crypto';
import type { IgnoredFields } from '@rollcall/employee-lists/text';
import { LruCache } from '../lru-cache.js';

const markEvery = 1024 * 1024;

/** `marks`: the SHA-256 of the body up to each full MiB, base64; `sha256`: of the whole body, hex. */
export interface BodyMarks {
  readonly marks: readonly string[];
  readonly sha256: string;
}

export interface KnownBody extends BodyMarks {
  readonly ignored: IgnoredFields;
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

const mostCompanies = 1000;
/** Callers choose the names: a body with more of them is not remembered, but read again. */
const mostRememberedNames = 20;

/** Only a hint that spares reading: the company's state decides whether a body is its last accepted one. */
export class LastBodies {
  readonly #bodies = new LruCache<number, KnownBody>({ most: mostCompanies });

  of(companyId: number): KnownBody | undefined {
    return this.#bodies.get(companyId);
  }

  remember(companyId: number, body: KnownBody): void {
    if (Object.keys(body.ignored).length > mostRememberedNames) this.#bodies.delete(companyId);
    else this.#bodies.set(companyId, body);
  }
}
