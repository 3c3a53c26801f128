import { setImmediate } from 'node:timers/promises';
import type { FindOptions, IndexOptions, StoredDocument } from '@rollcall/application';
import { orUnavailable, type Environment } from './environment.js';
import { behindAll, decodeKey, encodeKey, indexSpace, keySpace, numbersLength } from './keys.js';
import { revisionIn, valueIn } from './records.js';
import type { Snapshot } from './snapshots.js';

/** What is read between two turns of the event loop: so many documents, or so many bytes and one more. */
const BATCH = 500;
const BATCH_BYTES = 1024 * 1024;

/** The key is decoded on demand: most readers want the document only. */
const documentOf = ({ key, ...document }: Entry, space: number): StoredDocument => ({
  ...document,
  get key() {
    return decodeKey(key, space);
  },
});

interface Entry {
  /** Of the document. */
  readonly key: Buffer;
  readonly revision: number;
  readonly value: Buffer;
}

/** What is walked through, as LMDB has it. */
interface Range {
  readonly start: Buffer;
  readonly end: Buffer;
  readonly exclusiveStart?: boolean;
  readonly reverse?: boolean;
}

/** How the documents come from what is walked through. */
interface Source {
  readonly store: Environment['records'];
  /** Undefined where there is no document. */
  readonly entry: (key: Buffer, value: Buffer, copies: Copies) => Entry | undefined;
  /** How many bytes of a document's key tell of its collection. */
  readonly space: number;
}

/** In key order. */
export function findBatches(
  environment: Environment,
  snapshot: Snapshot,
  request: { readonly generation: number; readonly collection: string; readonly options: FindOptions },
): AsyncGenerator<readonly StoredDocument[]> {
  const { options } = request;
  const space = keySpace(request.generation, request.collection);
  const source = { store: environment.records, entry: entryOf, space: space.length };
  return walk(snapshot, source, { range: wholeRange(space, options), limit: options.limit });
}

/** In the order of the index. */
export function findBatchesByIndex(
  environment: Environment,
  snapshot: Snapshot,
  request: {
    readonly generation: number;
    readonly collection: string;
    readonly index: string;
    /** How many numbers the index has. */
    readonly width: number;
    readonly options: IndexOptions;
  },
): AsyncGenerator<readonly StoredDocument[]> {
  const { prefix, from, upTo, limit } = request.options;
  const entries = indexSpace(request.generation, request.collection, request.index);
  const space = keySpace(request.generation, request.collection);
  const startsWith = (last?: number): Buffer =>
    encodeKey(entries, last === undefined ? prefix : [...prefix, last]);
  const start = startsWith(from);
  const end = behindAll(startsWith(upTo));
  const own = entries.length + numbersLength(request.width);
  const entry = (key: Buffer, _: Buffer, copies: Copies): Entry | undefined => {
    const document = Buffer.concat([space, key.subarray(own)]);
    const record = environment.records.get(document, { transaction: snapshot.transaction() });
    return record && entryOf(document, record, copies);
  };
  const source = { store: environment.entries, entry, space: space.length };
  return walk(snapshot, source, { range: { start, end }, limit });
}

const entryOf = (key: Buffer, record: Buffer, copies: Copies): Entry | undefined => {
  const value = valueIn(record);
  return value && { key, revision: revisionIn(record), value: copies.add(value) };
};

/**
 * Streams from the snapshot, and lets the snapshot go at the end. Each batch has a buffer of its own, so its views outlive
 * the batch.
 */
async function* walk(
  snapshot: Snapshot,
  source: Source,
  wanted: { readonly range: Range; readonly limit: number | undefined },
): AsyncGenerator<readonly StoredDocument[]> {
  try {
    let left = wanted.limit ?? Infinity;
    let range = wanted.range;
    while (left > 0) {
      const [from, most] = [range, left];
      const { found, last } = await orUnavailable(() => readBatch(snapshot, source, from, most));
      if (found.length > 0) yield found.map((entry) => documentOf(entry, source.space));
      left -= found.length;
      if (last === undefined || left <= 0) return;
      range = { ...range, start: last, exclusiveStart: true };
      // Before the next batch others get their turn.
      await setImmediate();
    }
  } finally {
    snapshot.release();
  }
}

interface Batch {
  readonly found: readonly Entry[];
  /** Behind which it goes on; undefined at the end. */
  readonly last: Buffer | undefined;
}

function readBatch(snapshot: Snapshot, { store, entry }: Source, range: Range, most: number): Batch {
  const copies = new Copies();
  const found: Entry[] = [];
  let seen = 0;
  for (const { key, value } of store.getRange({ ...range, transaction: snapshot.transaction() })) {
    const next = entry(key, value, copies);
    if (next !== undefined) found.push(next);
    seen += 1;
    if (found.length >= most || seen >= BATCH || copies.bytes >= BATCH_BYTES) return { found, last: key };
  }
  return { found, last: undefined };
}

function wholeRange(space: Buffer, { prefix, after, reverse }: FindOptions): Range {
  const first = encodeKey(space, prefix);
  const behind = after && encodeKey(space, after);
  if (reverse) {
    // `start` is where a reverse walk begins; in front of the first key of the prefix it ends.
    const start = earlier(behind, behindAll(first));
    return { start, end: first, exclusiveStart: behind !== undefined, reverse };
  }
  const start = behind && Buffer.compare(behind, first) > 0 ? behind : first;
  return { start, end: behindAll(first), exclusiveStart: start === behind };
}

const earlier = (a: Buffer | undefined, b: Buffer): Buffer =>
  a !== undefined && Buffer.compare(a, b) < 0 ? a : b;

const firstBytes = 4 * 1024;
const mostBytes = 128 * 1024;

/** Keeps copies of a batch's values side by side: one small allocation for a few of them, and some for hundreds. */
class Copies {
  #buffer = Buffer.alloc(0);
  #used = 0;
  #next = firstBytes;
  bytes = 0;

  add(value: Buffer): Buffer {
    if (this.#used + value.length > this.#buffer.length) {
      this.#buffer = Buffer.allocUnsafeSlow(Math.max(value.length, this.#next));
      this.#next = Math.min(2 * this.#next, mostBytes);
      this.#used = 0;
    }
    this.#buffer.set(value, this.#used);
    this.#used += value.length;
    this.bytes += value.length;
    return this.#buffer.subarray(this.#used - value.length, this.#used);
  }
}
