import { hash } from 'node:crypto';

/** Changes whenever the canonical form, the digests or the rules of a valid body change. */
export const digestVersion = 1;

/** 128 bits as four unsigned 32-bit words, the most significant first. */
export type Words = Uint32Array;

export const digestKeyBytes = 32;
const headerBytes = digestKeyBytes + 1;
const tags = { id: 1, values: 2, set: 3 } as const;
const userTags = { address: 4, names: 5 } as const;

/** Reads the first 16 bytes of a hash given as a Latin-1 string into four words. */
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
 * The scratch buffer carries the key and the purpose before the message, so that a message is hashed where it lies.
 */
export class Digester {
  /** Where a message is to be written. */
  static readonly messageStart = headerBytes;
  readonly #scratch: Record<keyof typeof tags, Uint8Array>;
  /** One view for each message length: making a view costs a fifth of a hash. */
  readonly #views: Record<keyof typeof tags, Uint8Array[]> = { id: [], values: [], set: [] };
  readonly #setView: DataView;

  /** @param key 32 bytes, of the installation. */
  constructor(key: Uint8Array) {
    if (key.length !== digestKeyBytes)
      throw new RangeError(`the digest key must have ${digestKeyBytes} bytes`);
    const scratch = (purpose: keyof typeof tags, bytes: number): Uint8Array => {
      const buffer = new Uint8Array(headerBytes + bytes);
      buffer.set(key);
      buffer[digestKeyBytes] = tags[purpose];
      return buffer;
    };
    this.#scratch = { id: scratch('id', 256), values: scratch('values', 16_384), set: scratch('set', 40) };
    this.#setView = new DataView(this.#scratch.set.buffer);
  }

  /** A secret number for hash tables that hold texts of callers. */
  get seed(): number {
    return new DataView(this.#scratch.id.buffer).getUint32(4);
  }

  /** Write an EmployeeID (UTF-8, at most 200 bytes) at `messageStart`, then call `idDigest`. */
  get idScratch(): Uint8Array {
    return this.#scratch.id;
  }

  /** Write canonical values at `messageStart`, then call `valuesDigest`. Room for 16,384 bytes. */
  get valuesScratch(): Uint8Array {
    return this.#scratch.values;
  }

  #digest(purpose: keyof typeof tags, end: number, target: Words, at: number): void {
    const views = this.#views[purpose];
    const view = (views[end] ??= this.#scratch[purpose].subarray(0, end));
    storeWords(hash('sha256', view, 'latin1' as 'hex'), target, at);
  }

  /** Digest of the EmployeeID that stands in `idScratch` up to `end`. */
  idDigest(end: number, target: Words, at: number): void {
    this.#digest('id', end, target, at);
  }

  /** Digest of the canonical values that stand in `valuesScratch` up to `end`. */
  valuesDigest(end: number, target: Words, at: number): void {
    this.#digest('values', end, target, at);
  }

  /** The same for canonical values of any length. */
  valuesDigestOf(canonical: Uint8Array, target: Words, at: number): void {
    const message = Buffer.concat([this.#scratch.values.subarray(0, headerBytes), canonical]);
    storeWords(hash('sha256', message, 'latin1' as 'hex'), target, at);
  }

  /** The same kind of digest for a portal user: of the folded e-mail address, or of the names. 32 hexadecimal digits. */
  userDigest(purpose: keyof typeof userTags, message: string): string {
    const head = Buffer.from(this.#scratch.id.subarray(0, headerBytes));
    head[digestKeyBytes] = userTags[purpose];
    return hash('sha256', Buffer.concat([head, Buffer.from(message)]), 'hex').slice(0, 32);
  }

  /** The share of one present employee in the set digest: over (idDigest, number, digest). */
  memberDigest(ids: Words, digests: Words, index: number, number: number): Words {
    const view = this.#setView;
    for (let word = 0; word < 4; word++) {
      view.setUint32(headerBytes + word * 4, ids[index * 4 + word] ?? 0);
      view.setUint32(headerBytes + 24 + word * 4, digests[index * 4 + word] ?? 0);
    }
    view.setUint32(headerBytes + 16, Math.floor(number / 2 ** 32));
    view.setUint32(headerBytes + 20, number % 2 ** 32);
    this.#digest('set', headerBytes + 40, this.#member, 0);
    return this.#member;
  }
  readonly #member = new Uint32Array(4);
}

/** Adds (sign 1) or subtracts (sign -1) a 128-bit number modulo 2^128, in place. */
export function accumulate(sum: Words, addend: Words, sign: 1 | -1): void {
  let carry = 0;
  for (let word = 3; word >= 0; word--) {
    const value = (sum[word] ?? 0) + sign * (addend[word] ?? 0) + carry;
    sum[word] = value;
    carry = Math.floor(value / 2 ** 32);
  }
}

const hexDigits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** 32 hexadecimal digits of the digest at word `at`. */
export function toHex(words: Words, at: number): string {
  let text = '';
  for (let i = at; i < at + 4; i++) {
    const word = words[i] ?? 0;
    text += `${hexDigits[word >>> 24]}${hexDigits[(word >>> 16) & 255]}${hexDigits[(word >>> 8) & 255]}${hexDigits[word & 255]}`;
  }
  return text;
}

/** Reads 32 hexadecimal digits into four words. */
export function fromHex(hex: string, target: Words, at: number): void {
  for (let word = 0; word < 4; word++)
    target[at + word] = Number.parseInt(hex.slice(word * 8, word * 8 + 8), 16);
}
