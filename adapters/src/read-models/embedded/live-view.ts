import {
  ReadModelsBuilding,
  ReadModelsUnavailable,
  type CountRange,
  type DocumentKey,
  type FindOptions,
  type IndexOptions,
  type ParkedStream,
  type Progress,
  type ReadModelReader,
  type StoredDocument,
  type TakeValue,
} from '@rollcall/application';

import { BaseView } from '../base-view.js';
import { progressOf } from '../generation-rules.js';
import { orUnavailable, type Environment } from './environment.js';
import type { EmbeddedGenerations } from './generations.js';
import {
  encodeKey,
  keySpace,
  behindAll,
  decodeKey,
  indexSpace,
  numbersLength,
  valueIn,
  revisionIn,
} from './records.js';
import { setImmediate } from 'node:timers/promises';
import type { Transaction } from 'lmdb';
import type { Snapshot } from './snapshots.js';

interface OwnCollection {
  readonly generation: number;
  readonly collection: string;
}

type TakeRecord<T> = (record: Buffer | undefined, place: number) => T;

export class LiveView extends BaseView implements ReadModelReader {
  protected readonly shared: EmbeddedGenerations;
  protected readonly environment: Environment;

  constructor(shared: EmbeddedGenerations) {
    super(shared);
    this.shared = shared;
    this.environment = shared.environment;
  }

  getMany<T>(collection: string, keys: readonly DocumentKey[], take: TakeValue<T>): Promise<readonly T[]> {
    return this.use((generation) =>
      this.recordsOf({ generation, collection }, keys, (record, place) =>
        take(record && valueIn(record), place),
      ),
    );
  }

  findBatches(collection: string, options: FindOptions): AsyncGenerator<readonly StoredDocument[]> {
    const wanted = (generation: number): Wanted =>
      byKey(this.environment, { generation, collection }, options);
    return this.#find(collection, wanted);
  }

  async *findByIndex(
    collection: string,
    index: string,
    options: IndexOptions,
  ): AsyncGenerator<StoredDocument> {
    const width = this.shared.declared.widthOf(collection, index);
    const wanted = (generation: number): Wanted =>
      byIndex(this.environment, { generation, collection, index, width }, options);
    for await (const batch of this.#find(collection, wanted)) yield* batch;
  }

  count(collection: string, ranges: readonly CountRange[]): Promise<readonly number[]> {
    const { declared } = this.shared;
    for (const { index } of ranges)
      if (index === undefined) declared.of(collection);
      else declared.widthOf(collection, index);
    return this.use((generation) =>
      ranges.map((range) => countIn(this.environment, { generation, collection }, range)),
    );
  }

  progress(): Promise<Progress> {
    return this.use((generation) => progressOf(this.environment.progress.get(generation)));
  }

  parkedStreams(): Promise<readonly ParkedStream[]> {
    return this.use((generation) => {
      const range = this.environment.parked.getRange({ start: [generation], end: [generation + 1] });
      return [...range].map(({ value }) => value);
    });
  }

  async *#find(
    collection: string,
    wantedIn: (generation: number) => Wanted,
  ): AsyncGenerator<readonly StoredDocument[]> {
    this.shared.declared.of(collection);
    // No await between choosing the generation and its snapshot.
    const [wanted, snapshot] = await this.use(
      (generation) => [wantedIn(generation), this.shared.snapshots.take()] as const,
    );
    yield* findBatches(snapshot, wanted, this.environment.folder);
  }

  /** `take` gets the store's own bytes, valid until the next record. */
  protected recordsOf<T>(of: OwnCollection, keys: readonly DocumentKey[], take: TakeRecord<T>): readonly T[] {
    this.shared.declared.of(of.collection);
    const space = keySpace(of.generation, of.collection);
    return keys.map((key, place) => take(this.environment.records.get(encodeKey(space, key)), place));
  }

  protected checkOpen(): void {
    if (!this.environment.isOpen()) throw new ReadModelsUnavailable('the read models are closed');
  }

  /** Reads are the newest until the first await. */
  protected async use<T>(work: (generation: number) => Promise<T> | T): Promise<T> {
    this.checkOpen();
    return orUnavailable(this.environment.folder, () => {
      this.environment.root.resetReadTxn();
      return work(this.generation());
    });
  }

  protected generation(): number {
    const live = this.shared.live();
    if (live === undefined) throw new ReadModelsBuilding();
    return live;
  }
}

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

interface Wanted {
  readonly store: Environment['records'];
  readonly range: Range;
  readonly limit: number | undefined;
  readonly recordOf: (walked: Stored, transaction: Transaction) => Stored | undefined;
  /** Bytes of a key that name its collection. */
  readonly space: number;
}

function byKey({ records }: Environment, place: OwnCollection, options: FindOptions): Wanted {
  const space = keySpace(place.generation, place.collection);
  const range = wholeRange(space, options);
  return { store: records, range, limit: options.limit, recordOf: (walked) => walked, space: space.length };
}

function byIndex(
  { records, entries }: Environment,
  place: OwnCollection & { readonly index: string; readonly width: number },
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

function countIn(
  { records, entries }: Environment,
  { generation, collection }: OwnCollection,
  { index, from, to }: CountRange,
): number {
  const space =
    index === undefined ? keySpace(generation, collection) : indexSpace(generation, collection, index);
  const range = { start: encodeKey(space, from), end: encodeKey(space, to) };
  return (index === undefined ? records : entries).getKeysCount(range);
}

/** Reads one snapshot and releases it at the end. Each batch has its own buffer, so its views stay valid. */
async function* findBatches(snapshot: Snapshot, wanted: Wanted, folder: string) {
  try {
    let left = wanted.limit ?? Infinity;
    let range = wanted.range;
    while (left > 0) {
      const [from, most] = [range, left];
      const { found, last } = await orUnavailable(folder, () => readBatch(snapshot, wanted, from, most));
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

/** `last` is the key to continue after; undefined at the end. */
function readBatch(snapshot: Snapshot, { store, recordOf, space }: Wanted, range: Range, most: number) {
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
