import { createHmac, hash } from 'node:crypto';

/** Changes whenever the canonical form, the digests or the rules of a valid body change. */
export const digestVersion = 1;

/** 128 bits as four unsigned 32-bit words, the most significant first. */
export type Words = Uint32Array;

export const digestKeyBytes = 32;
const headerBytes = digestKeyBytes + 1;
const tags = { id: 1, values: 2, set: 3, tables: 6, proofs: 7 } as const;
const userTags = { address: 4, names: 5 } as const;

function storeWords(hashText: string, target: Words, at: number): void {
  for (let word = 0; word < 4; word++) {
    const i = word * 4;
    target[at + word] =
      (hashText.charCodeAt(i) << 24) |
      (hashText.charCodeAt(i + 1) << 16) |
      (hashText.charCodeAt(i + 2) << 8) |
      hashText.charCodeAt(i + 3);
  }
}

/**
 * Keyed 128-bit digests: the first half of SHA-256 over key, purpose and message. Cutting the hash rules out
 * extension of a known digest, the key rules out guessing a person's values from it (docs/way-of-the-data.md).
 */
export class Digester {
  readonly #key: Uint8Array;
  readonly #memberMessage: Uint8Array;
  readonly #memberView: DataView;
  readonly #member = new Uint32Array(4);
  readonly #heads: readonly [id: Uint8Array, values: Uint8Array];
  readonly #hashKey: readonly [bigint, bigint];

  constructor(key: Uint8Array) {
    if (key.length !== digestKeyBytes)
      throw new RangeError(`the digest key must have ${digestKeyBytes} bytes`);
    this.#key = Uint8Array.from(key);
    this.#memberMessage = new Uint8Array(headerBytes + 40);
    this.#memberMessage.set(this.#head(tags.set));
    this.#memberView = new DataView(this.#memberMessage.buffer);
    this.#heads = [this.#head(tags.id), this.#head(tags.values)];
    const secret = hash('sha256', this.#head(tags.tables), 'buffer');
    this.#hashKey = [secret.readBigUInt64LE(0), secret.readBigUInt64LE(8)];
  }

  #head(tag: number): Uint8Array {
    return Buffer.concat([this.#key, Uint8Array.of(tag)]);
  }

  /** Message prefixes for EmployeeIDs and for canonical values, for a reader that digests them itself. */
  messageHeads(): readonly [id: Uint8Array, values: Uint8Array] {
    return this.#heads;
  }

  /** A secret for hash tables that hold callers' texts. */
  hashKey(): readonly [bigint, bigint] {
    return this.#hashKey;
  }

  /** HMAC-SHA256 over subject and parts, with a key for this purpose alone. */
  proofOf(subject: string, parts: readonly Uint8Array[]): Buffer {
    const hmac = createHmac('sha256', hash('sha256', this.#head(tags.proofs), 'buffer'));
    hmac.update(`${Buffer.byteLength(subject)}:${subject}`);
    for (const part of parts) hmac.update(part);
    return hmac.digest();
  }

  #digest(tag: number, message: Uint8Array, target: Words, at: number): void {
    storeWords(hash('sha256', Buffer.concat([this.#head(tag), message]), 'latin1' as 'hex'), target, at);
  }

  idDigestOf(id: string, target: Words, at: number): void {
    this.#digest(tags.id, Buffer.from(id), target, at);
  }

  valuesDigestOf(canonical: Uint8Array, target: Words, at: number): void {
    this.#digest(tags.values, canonical, target, at);
  }

  /** 32 hexadecimal digits, for a portal user: of the folded e-mail address, or of the names. */
  userDigest(purpose: keyof typeof userTags, message: string): string {
    return hash('sha256', Buffer.concat([this.#head(userTags[purpose]), Buffer.from(message)]), 'hex').slice(
      0,
      32,
    );
  }

  /** A present employee's share of the set digest: over (idDigest, number, digest). */
  memberDigest(ids: Words, digests: Words, index: number, number: number): Words {
    const view = this.#memberView;
    for (let word = 0; word < 4; word++) {
      view.setUint32(headerBytes + word * 4, ids[index * 4 + word] ?? 0);
      view.setUint32(headerBytes + 24 + word * 4, digests[index * 4 + word] ?? 0);
    }
    view.setUint32(headerBytes + 16, Math.floor(number / 2 ** 32));
    view.setUint32(headerBytes + 20, number % 2 ** 32);
    storeWords(hash('sha256', this.#memberMessage, 'latin1' as 'hex'), this.#member, 0);
    return this.#member;
  }
}

/** Adds or subtracts a 128-bit number modulo 2^128, in place. */
export function accumulate(sum: Words, addend: Words, sign: 1 | -1): void {
  let carry = 0;
  for (let word = 3; word >= 0; word--) {
    const value = (sum[word] ?? 0) + sign * (addend[word] ?? 0) + carry;
    sum[word] = value;
    carry = Math.floor(value / 2 ** 32);
  }
}

const hexDigits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function toHex(words: Words, at: number): string {
  let text = '';
  for (let i = at; i < at + 4; i++) {
    const word = words[i] ?? 0;
    text += `${hexDigits[word >>> 24]}${hexDigits[(word >>> 16) & 255]}${hexDigits[(word >>> 8) & 255]}${hexDigits[word & 255]}`;
  }
  return text;
}

export function fromHex(hex: string, target: Words, at: number): void {
  for (let word = 0; word < 4; word++)
    target[at + word] = Number.parseInt(hex.slice(word * 8, word * 8 + 8), 16);
}

const digitValues = new Int8Array(256).fill(-1);
for (let digit = 0; digit < 16; digit++) digitValues[digit.toString(16).charCodeAt(0)] = digit;

/** Reads 32 lower-case hexadecimal digits; false for anything else. */
export function readHex(bytes: Uint8Array, at: number, target: Words): boolean {
  let isHex = true;
  for (let word = 0; word < 4; word++) {
    let value = 0;
    for (let i = at + word * 8; i < at + word * 8 + 8; i++) {
      const digit = digitValues[bytes[i] ?? 0] ?? -1;
      isHex &&= digit >= 0;
      value = (value << 4) | digit;
    }
    target[word] = value;
  }
  return isHex;
}

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
