import type { Words } from './digests.js';

/** Maps 128-bit digests to indexes in insertion order: open addressing in typed arrays, about 24 bytes per entry. */
export class DigestTable {
  /** Four words per digest, by index. */
  words: Words;
  #slots: Int32Array;
  #count = 0;

  constructor(expected = 16) {
    this.words = new Uint32Array(Math.max(4, expected * 4));
    this.#slots = new Int32Array(slotsFor(expected)).fill(-1);
  }

  copy(room: number): DigestTable {
    const copy = new DigestTable(0);
    copy.words = new Uint32Array(Math.max(1, room, this.#count) * 4);
    copy.words.set(this.words.subarray(0, this.#count * 4));
    copy.#count = this.#count;
    if (slotsFor(room) > this.#slots.length) copy.#spread(slotsFor(room));
    else copy.#slots = this.#slots.slice();
    return copy;
  }

  get count(): number {
    return this.#count;
  }

  /** The slot of the digest, or the empty slot for it. Digests are uniform, so the last word is the hash. */
  #slot(words: Words, at: number): number {
    const mask = this.#slots.length - 1;
    let slot = (words[at + 3] ?? 0) & mask;
    for (;;) {
      const index = this.#slots[slot] ?? -1;
      if (index < 0 || this.#equals(index, words, at)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #equals(index: number, words: Words, at: number): boolean {
    const own = this.words;
    const i = index * 4;
    return (
      own[i] === words[at] &&
      own[i + 1] === words[at + 1] &&
      own[i + 2] === words[at + 2] &&
      own[i + 3] === words[at + 3]
    );
  }

  find(words: Words, at: number): number {
    return this.#slots[this.#slot(words, at)] ?? -1;
  }

  /** Returns the digest's index; a new digest gets the index `count`. */
  insert(words: Words, at: number): number {
    if (this.#count * 2 >= this.#slots.length) this.#spread(this.#slots.length * 2);
    const slot = this.#slot(words, at);
    const found = this.#slots[slot] ?? -1;
    if (found >= 0) return found;
    const index = this.#count++;
    if (index * 4 >= this.words.length) this.words = grown(this.words, this.words.length * 2);
    for (let word = 0; word < 4; word++) this.words[index * 4 + word] = words[at + word] ?? 0;
    this.#slots[slot] = index;
    return index;
  }

  #spread(slots: number): void {
    this.#slots = new Int32Array(slots).fill(-1);
    for (let index = 0; index < this.#count; index++) this.#slots[this.#slot(this.words, index * 4)] = index;
  }
}

const slotsFor = (entries: number): number => 2 ** Math.max(4, Math.ceil(Math.log2(entries * 2 + 1)));

export function grown(array: Uint32Array, length: number): Uint32Array {
  const copy = new Uint32Array(length);
  copy.set(array);
  return copy;
}
