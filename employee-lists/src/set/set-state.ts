import { DigestTable, accumulate, type Digester, fromHex, toHex, type Words } from '../list/digests.js';

/** A company's present employees as digests and numbers; no personal value. */
export interface EmployeeSet {
  readonly count: number;
  /** The highest number ever given. */
  readonly lastNumber: number;
  /** 32 hexadecimal digits. */
  readonly setDigest: string;
  /** idDigests of those present; indexes 0 .. count-1. */
  readonly ids: DigestTable;
  /** Digests of their values, four words each. */
  readonly digests: Uint32Array;
  /** Ascending: a new employee gets a higher number than any before. */
  readonly numbers: Float64Array;
}

export const emptySet = (): EmployeeSet => ({
  count: 0,
  lastNumber: 0,
  setDigest: '0'.repeat(32),
  ids: new DigestTable(),
  digests: new Uint32Array(0),
  numbers: new Float64Array(0),
});

export type SetElement =
  | { readonly kind: 'added'; readonly number: number; readonly idDigest: Words; readonly digest: Words }
  | { readonly kind: 'changed'; readonly number: number; readonly idDigest?: Words; readonly digest: Words }
  | { readonly kind: 'left'; readonly number: number }
  | { readonly kind: 'restored'; readonly number: number; readonly idDigest: Words; readonly digest: Words };

/** Consecutive entries, four words per digest. `idDigests` belong to new employees only. */
export interface EntryDigests {
  readonly numbers: Float64Array;
  readonly idDigests: Words;
  readonly digests: Words;
}

export class SetMismatch extends Error {
  override readonly name = 'SetMismatch';
}

/** Folds entries onto a copy of the set before. Without a digester, the set digest stays the old one. */
export class EmployeeSetBuilder {
  readonly #digester: Digester | undefined;
  #ids: DigestTable;
  #digests: Uint32Array;
  #numbers: Float64Array;
  readonly #sum = new Uint32Array(4);
  readonly #gone = new Set<number>();
  /** By index: an EmployeeID that changed. The table still has the old one. */
  readonly #renamed = new Map<number, Words>();
  readonly #restored: { readonly number: number; readonly idDigest: Words; readonly digest: Words }[] = [];
  #count: number;
  #lastNumber: number;

  constructor(before: EmployeeSet, digester: Digester | undefined, expectedAdded = 0) {
    this.#digester = digester;
    const room = before.count + Math.max(16, expectedAdded);
    this.#ids = before.ids.copy(room);
    this.#digests = new Uint32Array(room * 4);
    this.#digests.set(before.digests.subarray(0, before.count * 4));
    this.#numbers = new Float64Array(room);
    this.#numbers.set(before.numbers.subarray(0, before.count));
    this.#count = before.count;
    this.#lastNumber = before.lastNumber;
    fromHex(before.setDigest, this.#sum, 0);
  }

  apply(entry: SetElement): void {
    switch (entry.kind) {
      case 'added':
        return this.#add(entry.number, entry.idDigest, entry.digest, 0);
      case 'changed':
        return entry.idDigest === undefined
          ? this.#change(this.#indexOf(entry.number), entry.digest, 0)
          : this.#rename(this.#indexOf(entry.number), entry.idDigest, entry.digest);
      case 'left':
        return this.#remove(this.#indexOf(entry.number));
      case 'restored':
        return this.#restore(entry.number, entry.idDigest, entry.digest);
      default:
        return entry satisfies never;
    }
  }

  applyAll(kind: 'added' | 'changed', { numbers, idDigests, digests }: EntryDigests): void {
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at] ?? 0;
      if (kind === 'added') this.#add(number, idDigests, digests, at * 4);
      else this.#change(this.#indexOf(number), digests, at * 4);
    }
  }

  #indexOf(number: number): number {
    const index = indexOfNumber({ count: this.#count, numbers: this.#numbers }, number);
    if (index < 0 || this.#gone.has(index)) throw new SetMismatch(`employee number ${number} is not present`);
    return index;
  }

  #share(index: number, sign: 1 | -1): void {
    if (this.#digester === undefined) return;
    const number = this.#numbers[index] ?? 0;
    const renamed = this.#renamed.get(index);
    if (renamed) this.#shareOf(number, renamed, this.#digests.subarray(index * 4, index * 4 + 4), sign);
    else
      accumulate(this.#sum, this.#digester.memberDigest(this.#ids.words, this.#digests, index, number), sign);
  }

  #shareOf(number: number, id: Words, digest: Words, sign: 1 | -1): void {
    if (this.#digester !== undefined)
      accumulate(this.#sum, this.#digester.memberDigest(id, digest, 0, number), sign);
  }

  #add(number: number, idDigests: Words, digests: Words, from: number): void {
    if (number <= this.#lastNumber) throw new SetMismatch(`employee number ${number} was given before`);
    const index = this.#ids.insert(idDigests, from);
    if (index !== this.#count)
      throw new SetMismatch(`employee number ${number} is present under another number`);
    if (index === this.#numbers.length) this.#grow();
    this.#numbers[index] = number;
    this.#setDigest(index, digests, from);
    this.#count++;
    this.#lastNumber = number;
    this.#share(index, 1);
  }

  #setDigest(index: number, digests: Words, from: number): void {
    for (let word = 0; word < 4; word++) this.#digests[index * 4 + word] = digests[from + word] ?? 0;
  }

  #grow(): void {
    const numbers = new Float64Array(this.#numbers.length * 2);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
    const digests = new Uint32Array(this.#digests.length * 2);
    digests.set(this.#digests);
    this.#digests = digests;
  }

  #change(index: number, digests: Words, from: number): void {
    this.#share(index, -1);
    this.#setDigest(index, digests, from);
    this.#share(index, 1);
  }

  #rename(index: number, idDigest: Words, digest: Words): void {
    this.#share(index, -1);
    this.#renamed.set(index, idDigest.slice());
    this.#setDigest(index, digest, 0);
    this.#share(index, 1);
  }

  #restore(number: number, idDigest: Words, digest: Words): void {
    if (number > this.#lastNumber) throw new SetMismatch(`employee number ${number} was never given`);
    this.#restored.push({ number, idDigest: idDigest.slice(), digest: digest.slice() });
    this.#shareOf(number, idDigest, digest, 1);
  }

  #remove(index: number): void {
    this.#share(index, -1);
    this.#gone.add(index);
  }

  finish(): EmployeeSet {
    if (this.#gone.size + this.#renamed.size > 0) this.#compact();
    if (this.#restored.length > 0) this.#putRestored();
    return {
      count: this.#count,
      lastNumber: this.#lastNumber,
      setDigest: toHex(this.#sum, 0),
      ids: this.#ids,
      digests: this.#digests,
      numbers: this.#numbers,
    };
  }

  #compact(): void {
    const ids = new DigestTable(this.#count - this.#gone.size);
    let next = 0;
    for (let index = 0; index < this.#count; index++) {
      if (this.#gone.has(index)) continue;
      const renamed = this.#renamed.get(index);
      this.#insert(ids, next, renamed ?? this.#ids.words, renamed ? 0 : index * 4);
      this.#digests.copyWithin(next * 4, index * 4, index * 4 + 4);
      this.#numbers[next] = this.#numbers[index] ?? 0;
      next++;
    }
    this.#ids = ids;
    this.#count = next;
  }

  #insert(ids: DigestTable, index: number, words: Words, at: number): void {
    if (ids.insert(words, at) !== index)
      throw new SetMismatch(`an employee is present under another number too`);
  }

  /** Between the others, by number. */
  #putRestored(): void {
    const restored = this.#restored.toSorted((one, other) => one.number - other.number);
    const count = this.#count + restored.length;
    const ids = new DigestTable(count);
    const digests = new Uint32Array(count * 4);
    const numbers = new Float64Array(count);
    let [next, at] = [0, 0];
    const put = (number: number, id: Words, digest: Words): void => {
      if (next > 0 && (numbers[next - 1] ?? 0) >= number)
        throw new SetMismatch(`employee number ${number} is present`);
      this.#insert(ids, next, id, 0);
      digests.set(digest, next * 4);
      numbers[next++] = number;
    };
    const four = (words: Words): Words => words.subarray(at * 4, at * 4 + 4);
    for (const one of [...restored, { number: Infinity, idDigest: undefined, digest: undefined }]) {
      for (; at < this.#count && (this.#numbers[at] ?? 0) < one.number; at++)
        put(this.#numbers[at] ?? 0, four(this.#ids.words), four(this.#digests));
      if (one.idDigest !== undefined) put(one.number, one.idDigest, one.digest);
    }
    this.#ids = ids;
    this.#digests = digests;
    this.#numbers = numbers;
    this.#count = count;
  }
}

/** The index of an employee's number; -1 where the employee is not present. */
export function indexOfNumber(
  { count, numbers }: Pick<EmployeeSet, 'count' | 'numbers'>,
  number: number,
): number {
  let index = 0;
  for (let end = count; index < end;) {
    const middle = (index + end) >>> 1;
    if ((numbers[middle] ?? 0) < number) index = middle + 1;
    else end = middle;
  }
  return index < count && numbers[index] === number ? index : -1;
}

/** False for a snapshot whose arrays do not belong together. */
export function hasSoundDigest(set: EmployeeSet, digester: Digester): boolean {
  const sum = new Uint32Array(4);
  for (let i = 0; i < set.count; i++) {
    accumulate(sum, digester.memberDigest(set.ids.words, set.digests, i, set.numbers[i] ?? 0), 1);
  }
  return toHex(sum, 0) === set.setDigest;
}
