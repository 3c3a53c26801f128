import { setImmediate } from 'node:timers/promises';
import type { Transaction } from 'lmdb';
import type { CountRange, FindOptions, IndexOptions, StoredDocument } from '@rollcall/application';
import { orUnavailable, type Environment } from './environment.js';
import { behindAll, decodeKey, encodeKey, indexSpace, keySpace, numbersLength } from './keys.js';
import { revisionIn, valueIn } from './records.js';
import type { Snapshot } from './snapshots.js';

/** Documents read per turn of the event loop. */
const BATCH = 500;
const BATCH_BYTES = 1024 * 1024;

interface Range {
  readonly start: Buffer;
  readonly end: Buffer;
  readonly exclusiveStart?: boolean;
  readonly reverse?: boolean;
}

interface Stored {
  readonly key: Buffer;
  readonly value: Buffer;
}

export interface Wanted {
  readonly store: Environment['records'];
  readonly range: Range;
  readonly limit: number | undefined;
  readonly recordOf: (walked: Stored, transaction: Transaction) => Stored | undefined;
  /** Bytes of a key that name its collection. */
  readonly space: number;
}

interface Place {
  readonly generation: number;
  readonly collection: string;
}

export function byKey({ records }: Environment, place: Place, options: FindOptions): Wanted {
  const space = keySpace(place.generation, place.collection);
  const range = wholeRange(space, options);
  return { store: records, range, limit: options.limit, recordOf: (walked) => walked, space: space.length };
}

export function byIndex(
  { records, entries }: Environment,
  place: Place & { readonly index: string; readonly width: number },
  { prefix, from, upTo, limit }: IndexOptions,
): Wanted {
  const first = indexSpace(place.generation, place.collection, place.index);
  const space = keySpace(place.generation, place.collection);
  const startsWith = (last?: number): Buffer =>
    encodeKey(first, last === undefined ? prefix : [...prefix, last]);
  const own = first.length + numbersLength(place.width);
  return {
    store: entries,
    range: { start: startsWith(from), end: behindAll(startsWith(upTo)) },
    limit,
    recordOf: ({ key: entry }, transaction) => {
      const key = Buffer.concat([space, entry.subarray(own)]);
      const value = records.get(key, { transaction });
      return value && { key, value };
    },
    space: space.length,
  };
}

export function countIn(
  { records, entries }: Environment,
  { generation, collection }: Place,
  { index, from, to }: CountRange,
): number {
  const space =
    index === undefined ? keySpace(generation, collection) : indexSpace(generation, collection, index);
  const range = { start: encodeKey(space, from), end: encodeKey(space, to) };
  return (index === undefined ? records : entries).getKeysCount(range);
}

/** Reads one snapshot and releases it at the end. Each batch has its own buffer, so its views stay valid. */
export async function* findBatches(
  snapshot: Snapshot,
  wanted: Wanted,
): AsyncGenerator<readonly StoredDocument[]> {
  try {
    let left = wanted.limit ?? Infinity;
    let range = wanted.range;
    while (left > 0) {
      const [from, most] = [range, left];
      const { found, last } = await orUnavailable(() => readBatch(snapshot, wanted, from, most));
      if (found.length > 0) yield found;
      left -= found.length;
      if (last === undefined || left <= 0) return;
      range = { ...range, start: last, exclusiveStart: true };
      await setImmediate();
    }
  } finally {
    snapshot.release();
  }
}

interface Batch {
  readonly found: readonly StoredDocument[];
  /** The key to continue after; undefined at the end. */
  readonly last: Buffer | undefined;
}

function readBatch(
  snapshot: Snapshot,
  { store, recordOf, space }: Wanted,
  range: Range,
  most: number,
): Batch {
  const copies = new Copies();
  const found: StoredDocument[] = [];
  const transaction = snapshot.transaction();
  let seen = 0;
  for (const walked of store.getRange({ ...range, transaction })) {
    const record = recordOf(walked, transaction);
    const value = record && valueIn(record.value);
    if (record !== undefined && value !== undefined)
      found.push(documentOf(record.key, revisionIn(record.value), copies.add(value), space));
    seen += 1;
    if (found.length >= most || seen >= BATCH || copies.bytes >= BATCH_BYTES)
      return { found, last: walked.key };
  }
  return { found, last: undefined };
}

/** Decodes the key on demand: most readers need only the document. */
const documentOf = (key: Buffer, revision: number, value: Buffer, space: number): StoredDocument => ({
  revision,
  value,
  get key() {
    return decodeKey(key, space);
  },
});

function wholeRange(space: Buffer, { prefix, after, reverse }: FindOptions): Range {
  const first = encodeKey(space, prefix);
  const behind = after && encodeKey(space, after);
  if (reverse) {
    // A reverse walk starts at `start` and ends before the prefix's first key.
    const start = earlier(behind, behindAll(first));
    return { start, end: first, exclusiveStart: behind !== undefined, reverse };
  }
  const start = behind && Buffer.compare(behind, first) > 0 ? behind : first;
  return { start, end: behindAll(first), exclusiveStart: start === behind };
}

const earlier = (a: Buffer | undefined, b: Buffer): Buffer =>
  a !== undefined && Buffer.compare(a, b) < 0 ? a : b;

const firstBytes = 4 * 1024;
const maxBytes = 128 * 1024;

/** Copies a batch's values into few allocations. */
class Copies {
  #buffer = Buffer.alloc(0);
  #used = 0;
  #next = firstBytes;
  bytes = 0;

  add(value: Buffer): Buffer {
    if (this.#used + value.length > this.#buffer.length) {
      this.#buffer = Buffer.allocUnsafeSlow(Math.max(value.length, this.#next));
      this.#next = Math.min(2 * this.#next, maxBytes);
      this.#used = 0;
    }
    this.#buffer.set(value, this.#used);
    this.#used += value.length;
    this.bytes += value.length;
    return this.#buffer.subarray(this.#used - value.length, this.#used);
  }
}
