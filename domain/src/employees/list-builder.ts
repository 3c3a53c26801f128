import { DigestTable, grown } from './digest-table.js';
import { Digester } from './digests.js';

/** A valid body: where its elements lie, and what they digest to. Nothing of their text is held but the body itself. */
export interface EmployeeList {
  readonly body: Buffer;
  readonly count: number;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** 1 where the element can be read by `ElementReader`. */
  readonly plain: Uint8Array;
  /** 1 where the element has members that are no fields. */
  readonly withUnknown: Uint8Array;
  /** idDigests; the index is that of the element. */
  readonly ids: DigestTable;
  /** Digests of the canonical values, four words for each element. */
  readonly digests: Uint32Array;
}

/** Notes of each element what a decision needs, in arrays that grow. */
export class ListBuilder {
  readonly #digester: Digester;
  readonly #ids: DigestTable;
  /** The element behind each idDigest. */
  #owners: Uint32Array;
  #starts: Uint32Array;
  #ends: Uint32Array;
  #digests: Uint32Array;
  #plain: Uint8Array;
  #withUnknown: Uint8Array;
  readonly #words = new Uint32Array(4);

  constructor(digester: Digester, expected: number) {
    this.#digester = digester;
    this.#ids = new DigestTable(expected);
    this.#owners = new Uint32Array(expected);
    this.#starts = new Uint32Array(expected);
    this.#ends = new Uint32Array(expected);
    this.#digests = new Uint32Array(expected * 4);
    this.#plain = new Uint8Array(expected);
    this.#withUnknown = new Uint8Array(expected);
  }

  /** The next element, and where it lies. */
  add(
    element: number,
    place: { readonly start: number; readonly end: number; readonly isPlain: boolean },
  ): void {
    if (element === this.#starts.length) this.#grow();
    this.#starts[element] = place.start;
    this.#ends[element] = place.end;
    this.#plain[element] = place.isPlain ? 1 : 0;
  }

  #grow(): void {
    const length = this.#starts.length * 2;
    const flags = (array: Uint8Array): Uint8Array => {
      const copy = new Uint8Array(length);
      copy.set(array);
      return copy;
    };
    this.#owners = grown(this.#owners, length);
    this.#starts = grown(this.#starts, length);
    this.#ends = grown(this.#ends, length);
    this.#digests = grown(this.#digests, length * 4);
    this.#plain = flags(this.#plain);
    this.#withUnknown = flags(this.#withUnknown);
  }

  markUnknown(element: number): void {
    this.#withUnknown[element] = 1;
  }

  /** The EmployeeID at this place of the body: the element that brought it before, or -1. */
  addIdAt(element: number, body: Uint8Array, start: number, end: number): number {
    const scratch = this.#digester.idScratch;
    for (let i = start; i < end; i++) scratch[Digester.messageStart + i - start] = body[i] as number;
    return this.#ownerOfId(element, Digester.messageStart + end - start);
  }

  /** The same for a text. */
  addId(element: number, id: string): number {
    const length = Buffer.from(this.#digester.idScratch.buffer).write(id, Digester.messageStart);
    return this.#ownerOfId(element, Digester.messageStart + length);
  }

  #ownerOfId(element: number, end: number): number {
    this.#digester.idDigest(end, this.#words, 0);
    const before = this.#ids.count;
    const index = this.#ids.insert(this.#words, 0);
    if (this.#ids.count === before) return this.#owners[index] ?? 0;
    this.#owners[index] = element;
    return -1;
  }

  /** Digests the values that stand in the digester's scratch buffer up to `end`. */
  addValues(element: number, end: number): void {
    this.#digester.valuesDigest(end, this.#digests, element * 4);
  }

  /** Digests canonical values of any length. */
  addCanonical(element: number, canonical: Uint8Array): void {
    this.#digester.valuesDigestOf(canonical, this.#digests, element * 4);
  }

  list(body: Buffer, count: number): EmployeeList {
    return {
      body,
      count,
      starts: this.#starts,
      ends: this.#ends,
      plain: this.#plain,
      withUnknown: this.#withUnknown,
      ids: this.#ids,
      digests: this.#digests,
    };
  }
}
