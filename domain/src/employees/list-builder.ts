import { grown } from './digest-table.js';

/** Gives the bytes of the body between two places of it. */
export type BodyBytes = (start: number, end: number) => Buffer;

/** A valid body: where its elements lie, and what they digest to. Nothing of their text is held. */
export interface EmployeeList {
  readonly bytes: BodyBytes;
  readonly count: number;
  /** For each element, where it begins and ends in the body. */
  readonly bounds: Uint32Array;
  /** 1 where the module reads the element. */
  readonly plain: Uint8Array;
  /** 1 where the element has members that are no fields. */
  readonly withUnknown: Uint8Array;
  /** Digests of the EmployeeIDs, four words for each element. */
  readonly ids: Uint32Array;
  /** Digests of the canonical values, four words for each element. */
  readonly digests: Uint32Array;
}

const longer = (flags: Uint8Array, length: number): Uint8Array => {
  const copy = new Uint8Array(length);
  copy.set(flags);
  return copy;
};

/** Notes of each element what a decision needs, in arrays that grow. */
export class ListBuilder {
  count = 0;
  #isDigesting = true;
  bounds: Uint32Array;
  ids: Uint32Array;
  digests: Uint32Array;
  plain: Uint8Array;
  withUnknown: Uint8Array;

  constructor(expected: number) {
    this.bounds = new Uint32Array(expected * 2);
    this.ids = new Uint32Array(expected * 4);
    this.digests = new Uint32Array(expected * 4);
    this.plain = new Uint8Array(expected);
    this.withUnknown = new Uint8Array(expected);
  }

  /** Makes room for so many elements more. */
  reserve(more: number): void {
    const needed = this.count + more;
    if (needed <= this.plain.length) return;
    const length = Math.max(needed, this.plain.length * 2);
    this.bounds = grown(this.bounds, length * 2);
    this.plain = longer(this.plain, length);
    this.withUnknown = longer(this.withUnknown, length);
    if (!this.#isDigesting) return;
    this.ids = grown(this.ids, length * 4);
    this.digests = grown(this.digests, length * 4);
  }

  get isDigesting(): boolean {
    return this.#isDigesting;
  }

  /** The digests are not wanted any more. */
  forgetDigests(): void {
    this.#isDigesting = false;
    this.ids = new Uint32Array(0);
    this.digests = new Uint32Array(0);
  }

  list(bytes: BodyBytes): EmployeeList {
    const { count, bounds, ids, digests, plain, withUnknown } = this;
    return { bytes, count, bounds, ids, digests, plain, withUnknown };
  }
}
