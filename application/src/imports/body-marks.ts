import { createHash } from 'node:crypto';

/** So many bytes lie between two marks of a body. */
const markEvery = 1024 * 1024;

/** What is remembered of a body: the hash of its beginning at each mark, and that of all of it. */
export interface BodyMarks {
  readonly marks: readonly string[];
  readonly sha256: string;
}

/** The SHA-256 of a body, and whether so far it is the one that is remembered. */
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

  /** Whether nothing so far tells it from the body that is remembered. */
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

  /** To be called once, behind the last byte. */
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

/** Of so many companies a thread remembers the last body. */
const mostCompanies = 1000;

/**
 * The last bodies of employees that were accepted here. Whoever sends the same bytes again need not have them read: whether
 * they are the company's last ones is decided by its state, and this only tells what to begin with.
 */
export class LastBodies {
  readonly #bodies = new Map<number, BodyMarks>();

  of(companyId: number): BodyMarks | undefined {
    return this.#bodies.get(companyId);
  }

  remember(companyId: number, body: BodyMarks): void {
    this.#bodies.delete(companyId);
    this.#bodies.set(companyId, body);
    const [oldest] = this.#bodies.keys();
    if (this.#bodies.size > mostCompanies && oldest !== undefined) this.#bodies.delete(oldest);
  }
}
