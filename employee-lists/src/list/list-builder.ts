import { grown } from './digests.js';

export type BodyBytes = (start: number, end: number) => Buffer;

/** A valid body: offsets and digests of its elements, without their text. */
export interface EmployeeList {
  readonly bytes: BodyBytes;
  readonly count: number;
  /** Start and end offset in the body, per element. */
  readonly bounds: Uint32Array;
  /** 1 if the reader module can hold the element. */
  readonly plain: Uint8Array;
  /** 1 if the element has unknown members. */
  readonly withUnknown: Uint8Array;
  /** Digests of the EmployeeIDs and of the canonical values, four words per element. */
  readonly ids: Uint32Array;
  readonly digests: Uint32Array;
}

const longer = (flags: Uint8Array, length: number): Uint8Array => {
  const copy = new Uint8Array(length);
  copy.set(flags);
  return copy;
};

export class ListBuilder {
  count = 0;
  isForgotten = false;
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

  forget(): void {
    if (this.isForgotten) return;
    this.isForgotten = true;
    this.forgetDigests();
    this.bounds = new Uint32Array(0);
    this.plain = new Uint8Array(0);
    this.withUnknown = new Uint8Array(0);
  }

  get isDigesting(): boolean {
    return this.#isDigesting;
  }

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

const maxProblems = 1000;

/** A bounded number of messages, and a count of the rest (docs/contract, "Validation"). */
export class Problems {
  readonly #messages: string[] = [];
  /** Includes problems without a message; callers may add to it. */
  count = 0;

  /** @param message called only if there is room for it. */
  add(message: () => string): void {
    if (this.count++ < maxProblems) this.#messages.push(message());
  }

  get isFull(): boolean {
    return this.count >= maxProblems;
  }

  /** In the order of the elements; a last message counts the omitted ones. */
  list(): readonly string[] {
    const more = this.count - this.#messages.length;
    return more > 0 ? [...this.#messages, `... and ${more} more`] : [...this.#messages];
  }
}
