import { setImmediate } from 'node:timers/promises';
import type { Transaction } from 'lmdb';
import {
  ReadModelsUnavailable,
  type DocumentKey,
  type FindOptions,
  type StoredDocument,
} from '@rollcall/application';
import { orUnavailable, type Environment } from './environment.js';
import { behindAll, decodeKey, encodeKey, keySpace } from './keys.js';

/** Documents that are read between two turns of the event loop. */
const BATCH = 500;

/**
 * How long one iteration may hold its snapshot. LMDB cannot reuse pages while somebody may still read them, so a reader
 * that is slower than this is cut off rather than shown a mixture of two states.
 */
export const SNAPSHOT_MS = 10 * 60_000;

class Found implements StoredDocument {
  readonly json: Uint8Array;
  readonly #bytes: Buffer;
  readonly #space: number;

  constructor(json: Uint8Array, bytes: Buffer, space: number) {
    this.json = json;
    this.#bytes = bytes;
    this.#space = space;
  }

  /** Decoded on demand: most readers want the document only. */
  get key(): DocumentKey {
    return decodeKey(this.#bytes, this.#space);
  }
}

export interface FindRequest {
  readonly generation: number;
  readonly collection: string;
  readonly options: FindOptions;
}

/** The snapshots that iterations hold at present; all of them must be let go before the environment closes. */
export class Snapshots {
  readonly #held = new Set<Snapshot>();
  readonly #environment: Environment;
  readonly #snapshotMs: number;

  constructor(environment: Environment, snapshotMs: number) {
    this.#environment = environment;
    this.#snapshotMs = snapshotMs;
  }

  take(): Snapshot {
    this.#environment.root.resetReadTxn();
    const transaction = this.#environment.documents.useReadTransaction();
    const snapshot = new Snapshot(transaction, this.#snapshotMs, () => this.#held.delete(snapshot));
    this.#held.add(snapshot);
    return snapshot;
  }

  releaseAll(): void {
    for (const snapshot of [...this.#held]) snapshot.release();
  }
}

export class Snapshot {
  readonly #transaction: Transaction;
  readonly #timer: NodeJS.Timeout;
  readonly #released: () => void;
  #over = false;

  constructor(transaction: Transaction, lifeMs: number, released: () => void) {
    this.#transaction = transaction;
    this.#released = released;
    this.#timer = setTimeout(() => this.release(), lifeMs);
    this.#timer.unref();
  }

  /** The transaction to read with; an outage where the store took it back. */
  get transaction(): Transaction {
    if (this.#over) throw new ReadModelsUnavailable('the reading took too long, or the store was closed');
    return this.#transaction;
  }

  release(): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#transaction.done();
    this.#released();
  }
}

interface Range {
  readonly start: Buffer;
  readonly end: Buffer;
  readonly exclusive: boolean;
}

/**
 * Streams in key order from the snapshot, and lets the snapshot go at the end. Each batch has a buffer of its own, so
 * its views outlive the batch.
 */
export async function* findBatches(
  environment: Environment,
  snapshot: Snapshot,
  request: FindRequest,
): AsyncGenerator<readonly StoredDocument[]> {
  try {
    const space = keySpace(request.generation, request.collection);
    const target = request.options.target && keySpace(request.generation, request.options.target);
    const batches = readBatches(environment, snapshot, { space, options: request.options });
    for (;;) {
      const batch = await orUnavailable(() => batches.next().value);
      if (batch === undefined) return;
      const { entries, isLast } = batch;
      const found = target
        ? await orUnavailable(() => resolve(environment, snapshot, { batch: entries, target }))
        : entries;
      if (found.length > 0) yield found.map((entry) => new Found(entry.json, entry.key, space.length));
      if (isLast) return;
      // Before the next batch others get their turn.
      await setImmediate();
    }
  } finally {
    snapshot.release();
  }
}

interface Batch {
  readonly entries: readonly Entry[];
  /** Nothing comes behind it. */
  readonly isLast: boolean;
}

function* readBatches(
  environment: Environment,
  snapshot: Snapshot,
  request: { space: Buffer; options: FindOptions },
): Generator<Batch, undefined> {
  const { options } = request;
  let range = wholeRange(request.space, options);
  let left = options.limit ?? Infinity;
  while (left > 0) {
    const limit = Math.min(BATCH, left);
    const batch = readBatch(environment, snapshot, { range, reverse: options.reverse ?? false, limit });
    const last = batch.at(-1);
    if (last === undefined) return;
    left -= batch.length;
    yield { entries: batch, isLast: batch.length < limit || left === 0 };
    range = { start: last.key, end: range.end, exclusive: true };
  }
}

function wholeRange(space: Buffer, options: FindOptions): Range {
  const prefix = encodeKey(space, options.prefix);
  const after = options.after && encodeKey(space, options.after);
  if (options.reverse) {
    // `start` is where a reverse walk begins; in front of the first key of the prefix it ends.
    return { start: earlier(after, behindAll(prefix)), end: prefix, exclusive: after !== undefined };
  }
  const start = after && Buffer.compare(after, prefix) > 0 ? after : prefix;
  return { start, end: behindAll(prefix), exclusive: start === after };
}

const earlier = (a: Buffer | undefined, b: Buffer): Buffer =>
  a !== undefined && Buffer.compare(a, b) < 0 ? a : b;

interface Entry {
  readonly key: Buffer;
  readonly json: Buffer;
}

const firstBytes = 4 * 1024;
const mostBytes = 128 * 1024;

/** Keeps copies of a batch's values side by side: one small allocation for a few of them, and some for hundreds. */
class Copies {
  #buffer = Buffer.alloc(0);
  #used = 0;
  #next = firstBytes;

  add(value: Buffer): Buffer {
    if (this.#used + value.length > this.#buffer.length) {
      this.#buffer = Buffer.allocUnsafeSlow(Math.max(value.length, this.#next));
      this.#next = Math.min(2 * this.#next, mostBytes);
      this.#used = 0;
    }
    this.#buffer.set(value, this.#used);
    this.#used += value.length;
    return this.#buffer.subarray(this.#used - value.length, this.#used);
  }
}

/** The documents that the entries of an index point to, from the same snapshot. */
function resolve(
  environment: Environment,
  snapshot: Snapshot,
  { batch, target }: { batch: readonly Entry[]; target: Buffer },
): Entry[] {
  const options = { transaction: snapshot.transaction };
  const copies = new Copies();
  const found: Entry[] = [];
  for (const { key, json } of batch) {
    const view = environment.documents.get(encodeKey(target, pointerIn(json)), options);
    if (view !== undefined) found.push({ key, json: copies.add(view) });
  }
  return found;
}

function pointerIn(json: Buffer): readonly number[] {
  const pointer: unknown = JSON.parse(json.toString('latin1'));
  if (isNumbers(pointer)) return pointer;
  throw new TypeError('an entry of an index is a key of numbers');
}

const isNumbers = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((part) => typeof part === 'number');

interface Wanted {
  readonly range: Range;
  readonly reverse: boolean;
  readonly limit: number;
}

function readBatch(environment: Environment, snapshot: Snapshot, wanted: Wanted): Entry[] {
  const copies = new Copies();
  const entries: Entry[] = [];
  const range = environment.documents.getRange({
    start: wanted.range.start,
    end: wanted.range.end,
    exclusiveStart: wanted.range.exclusive,
    reverse: wanted.reverse,
    limit: wanted.limit,
    transaction: snapshot.transaction,
  });
  for (const { key, value } of range) entries.push({ key, json: copies.add(value) });
  return entries;
}
