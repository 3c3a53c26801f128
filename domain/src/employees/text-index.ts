/** Each byte, ASCII letters in lower case. */
const lowered = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte,
);

const same = Uint8Array.from({ length: 256 }, (_, byte) => byte);

type Comparison = 'exact' | 'caseless';

/**
 * Finds repeated texts among the elements of one body without making strings of them: it remembers where each text
 * lies, in the body or in a copy, and compares bytes where hashes meet. ASCII letters are compared without their case, unless
 * it is to be exact; texts with others are handed in folded already.
 */
export class TextIndex {
  readonly #body: Uint8Array;
  readonly #seed: number;
  /** Each byte as it is compared. */
  readonly #folded: Uint8Array;
  /** Texts that do not lie in the body, by element. */
  readonly #copies = new Map<number, Uint8Array>();
  #slots: Int32Array;
  #hashes: Uint32Array;
  #starts: Uint32Array;
  #ends: Uint32Array;
  #elements: Uint32Array;
  #count = 0;

  /**
   * @param seed a secret number, so that nobody can choose texts whose hashes meet.
   * @param expected room for so many texts is there from the beginning: growing leaves as much behind as it makes.
   */
  constructor(
    body: Uint8Array,
    { seed, expected, comparison = 'caseless' }: { seed: number; expected: number; comparison?: Comparison },
  ) {
    const room = 2 ** Math.ceil(Math.log2(Math.max(512, expected)));
    this.#body = body;
    this.#seed = seed;
    this.#folded = comparison === 'exact' ? same : lowered;
    this.#slots = new Int32Array(room * 2).fill(-1);
    this.#hashes = new Uint32Array(room);
    this.#starts = new Uint32Array(room);
    this.#ends = new Uint32Array(room);
    this.#elements = new Uint32Array(room);
  }

  /** The element that brought the same text before, or -1; then this one is remembered. */
  addRange(element: number, start: number, end: number): number {
    return this.#add(element, this.#body, start, end);
  }

  /** The same for a text that is not in the body as it is. */
  addText(element: number, text: string): number {
    const copy = Buffer.from(text);
    const owner = this.#add(element, copy, 0, copy.length);
    // One that was there before has no entry of its own.
    if (owner < 0) this.#copies.set(this.#count - 1, copy);
    return owner;
  }

  #add(element: number, bytes: Uint8Array, start: number, end: number): number {
    if (this.#count * 2 >= this.#slots.length) this.#grow();
    const hash = this.#hash(bytes, start, end);
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const entry = this.#slots[slot] ?? -1;
      if (entry < 0) break;
      if (this.#hashes[entry] === hash && this.#same(entry, bytes, start, end))
        return this.#elements[entry] ?? -1;
      slot = (slot + 1) & mask;
    }
    const entry = this.#count++;
    this.#slots[slot] = entry;
    this.#hashes[entry] = hash;
    this.#starts[entry] = start;
    this.#ends[entry] = end;
    this.#elements[entry] = element;
    return -1;
  }

  #hash(bytes: Uint8Array, start: number, end: number): number {
    const folded = this.#folded;
    let hash = this.#seed;
    for (let i = start; i < end; i++) {
      hash = Math.imul(hash ^ (folded[bytes[i] as number] as number), 0x5bd1e995);
      hash ^= hash >>> 15;
    }
    return hash >>> 0;
  }

  #same(entry: number, bytes: Uint8Array, start: number, end: number): boolean {
    const other = this.#copies.get(entry) ?? this.#body;
    const otherStart = this.#starts[entry] ?? 0;
    if ((this.#ends[entry] ?? 0) - otherStart !== end - start) return false;
    const folded = this.#folded;
    for (let i = 0; i < end - start; i++) {
      if (folded[other[otherStart + i] as number] !== folded[bytes[start + i] as number]) return false;
    }
    return true;
  }

  #grow(): void {
    const longer = (array: Uint32Array): Uint32Array<ArrayBuffer> => {
      const copy = new Uint32Array(array.length * 2);
      copy.set(array);
      return copy;
    };
    this.#hashes = longer(this.#hashes);
    this.#starts = longer(this.#starts);
    this.#ends = longer(this.#ends);
    this.#elements = longer(this.#elements);
    this.#slots = new Int32Array(this.#slots.length * 2).fill(-1);
    const mask = this.#slots.length - 1;
    for (let entry = 0; entry < this.#count; entry++) {
      let slot = (this.#hashes[entry] ?? 0) & mask;
      while ((this.#slots[slot] ?? -1) >= 0) slot = (slot + 1) & mask;
      this.#slots[slot] = entry;
    }
  }
}
