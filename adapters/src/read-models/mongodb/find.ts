import { MongoServerError, type ClientSession, type FindCursor, type FindOptions as Options } from 'mongodb';
import type { DocumentKey, FindOptions, StoredDocument } from '@rollcall/application';
import type { Connection } from './connection.js';
import {
  asOneState,
  fetch,
  type DocumentRecord,
  type Documents,
  type GenerationCollections,
} from './documents.js';
import { behindAll, decodeKey, encodeKey } from './keys.js';

/** Documents that are read at a time. */
const BATCH = 1_000;

/** `SnapshotUnavailable`: the collection is younger than what a snapshot can show. */
const NO_SNAPSHOT = 246;

class Found implements StoredDocument {
  readonly json: Uint8Array;
  readonly #id: string;

  constructor(id: string, json: Uint8Array) {
    this.#id = id;
    this.json = json;
  }

  /** Decoded on demand: most readers want the document only. */
  get key(): DocumentKey {
    return decodeKey(this.#id);
  }
}

export interface FindRequest {
  readonly collections: GenerationCollections;
  readonly collection: string;
  readonly options: FindOptions;
}

/**
 * In key order. All of it is one state of the database where the server is part of a replica set (for as long as it keeps
 * what is overwritten: 5 minutes by default); a server alone shows each document as it is when the walk comes to it.
 */
export async function* findBatches(
  connection: Connection,
  request: FindRequest,
): AsyncGenerator<readonly StoredDocument[]> {
  const session = connection.hasSnapshots ? connection.client.startSession({ snapshot: true }) : undefined;
  const walk = new Walk(connection, request, session);
  try {
    for (let batch = await walk.next(); batch !== undefined; batch = await walk.next())
      if (batch.length > 0) yield batch;
  } finally {
    walk.close();
    await session?.endSession().catch(() => undefined);
  }
}

class Walk {
  readonly #connection: Connection;
  readonly #request: FindRequest;
  readonly #documents: Documents;
  #session: ClientSession | undefined;
  #cursor: FindCursor<DocumentRecord> | undefined;
  #begun = false;
  #left: number;

  constructor(connection: Connection, request: FindRequest, session: ClientSession | undefined) {
    this.#connection = connection;
    this.#request = request;
    this.#documents = request.collections.documents(request.collection);
    this.#session = session;
    this.#left = request.options.limit ?? Infinity;
  }

  /** The next run of documents, which may have none of them; undefined at the end. */
  async next(): Promise<readonly StoredDocument[] | undefined> {
    if (this.#left <= 0) return undefined;
    const records = await this.#read();
    if (records.length === 0) return undefined;
    this.#left -= records.length;
    return this.#request.options.target === undefined
      ? records.map(({ _id, json }) => new Found(_id, json ?? new Uint8Array()))
      : this.#targets(records, this.#request.options.target);
  }

  /** Nobody waits for a server that may hang. */
  close(): void {
    this.#cursor?.close().catch(() => undefined);
  }

  #read(): Promise<DocumentRecord[]> {
    return this.#connection.read((deadline) =>
      deadline.step(async () => {
        try {
          return await this.#readOn();
        } catch (error) {
          if (this.#begun || !isWithoutSnapshot(error)) throw error;
          this.#session = undefined;
          this.#cursor = undefined;
          return this.#readOn();
        }
      }),
    );
  }

  async #readOn(): Promise<DocumentRecord[]> {
    this.#cursor ??= this.#open();
    // Fetches the next run, where there is one.
    const more = await this.#cursor.hasNext();
    this.#begun = true;
    return more ? this.#cursor.readBufferedDocuments() : [];
  }

  #open(): FindCursor<DocumentRecord> {
    const { options } = this.#request;
    const order = options.reverse ? -1 : 1;
    const settings: Options = {
      // No `maxTimeMS`: it would count for the whole walk.
      sort: { live: order, _id: order },
      projection: { json: 1 },
      batchSize: BATCH,
      ...(options.limit !== undefined && { limit: options.limit }),
      ...(this.#session && asOneState(this.#session)),
    };
    return this.#documents.find({ live: true, _id: rangeOf(options) }, settings);
  }

  async #targets(index: readonly DocumentRecord[], target: string): Promise<readonly StoredDocument[]> {
    const ids = index.map(({ json }) => encodeKey(keyIn(json)));
    const documents = this.#request.collections.documents(target);
    const session = this.#session;
    const found = await this.#connection.read((deadline) => fetch(documents, ids, deadline, { session }));
    return index.flatMap(({ _id }, at) => {
      const json = found.get(ids[at] ?? '')?.json;
      return json === undefined ? [] : [new Found(_id, json)];
    });
  }
}

function rangeOf({ prefix, after, reverse = false }: FindOptions): Record<string, string> {
  const first = encodeKey(prefix);
  const end = behindAll(first);
  const from = after === undefined ? undefined : encodeKey(after);
  if (reverse) return { $gte: first, $lt: from !== undefined && isBefore(from, end) ? from : end };
  return from === undefined || isBefore(from, first) ? { $gte: first, $lt: end } : { $gt: from, $lt: end };
}

const isBefore = (a: string, b: string): boolean => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;

function keyIn(json: Uint8Array | undefined): DocumentKey {
  const key: unknown = JSON.parse(Buffer.from(json ?? []).toString('utf8'));
  if (Array.isArray(key) && key.every((part) => typeof part === 'number')) return key;
  throw new Error('an index entry is no key of numbers');
}

const isWithoutSnapshot = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === NO_SNAPSHOT;
