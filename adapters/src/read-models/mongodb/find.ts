import {
  MongoServerError,
  type ClientSession,
  type Filter,
  type FindCursor,
  type FindOptions as Options,
} from 'mongodb';
import type { FindOptions, IndexOptions, StoredDocument } from '@rollcall/application';
import type { Connection } from './connection.js';
import { asOneState, indexField, type DocumentRecord, type Documents } from './documents.js';
import { behindAll, decodeKey, encodeKey } from './keys.js';

/** Documents that are read at a time. */
const BATCH = 1_000;

/** `SnapshotUnavailable`: the collection is younger than what a snapshot can show. */
const NO_SNAPSHOT = 246;

/** The key is decoded on demand: most readers want the document only. */
const documentOf = ({ _id, revision, value = new Uint8Array() }: DocumentRecord): StoredDocument => ({
  revision,
  value,
  get key() {
    return decodeKey(_id);
  },
});

/** What is to be found, in which order, and at most how many of it. */
export interface Wanted {
  readonly filter: Filter<DocumentRecord>;
  readonly sort: Readonly<Record<string, 1 | -1>>;
  readonly limit: number | undefined;
}

/** In key order. */
export function byKey(options: FindOptions): Wanted {
  const order = options.reverse ? -1 : 1;
  return {
    filter: { live: true, _id: rangeOf(options) },
    sort: { live: order, _id: order },
    limit: options.limit,
  };
}

/** In the order of the index. */
export function byIndex(index: string, { prefix, upTo, limit }: IndexOptions): Wanted {
  const first = encodeKey(prefix);
  const last = upTo === undefined ? first : encodeKey([...prefix, upTo]);
  const field = indexField(index);
  return { filter: { [field]: { $gte: first, $lt: behindAll(last) } }, sort: { [field]: 1 }, limit };
}

/**
 * All of it is one state of the database where the server is part of a replica set (for as long as it keeps what is
 * overwritten: 5 minutes by default); a server alone shows each document as it is when the walk comes to it.
 */
export async function* findBatches(
  connection: Connection,
  documents: Documents,
  wanted: Wanted,
): AsyncGenerator<readonly StoredDocument[]> {
  if (wanted.limit === 0) return;
  const session = connection.hasSnapshots ? connection.client.startSession({ snapshot: true }) : undefined;
  const walk = new Walk(connection, { documents, wanted, session });
  try {
    for (let batch = await walk.next(); batch.length > 0; batch = await walk.next())
      yield batch.map(documentOf);
  } finally {
    walk.close();
    await session?.endSession().catch(() => undefined);
  }
}

class Walk {
  readonly #connection: Connection;
  readonly #documents: Documents;
  readonly #wanted: Wanted;
  #session: ClientSession | undefined;
  #cursor: FindCursor<DocumentRecord> | undefined;
  #begun = false;

  constructor(
    connection: Connection,
    {
      documents,
      wanted,
      session,
    }: { documents: Documents; wanted: Wanted; session: ClientSession | undefined },
  ) {
    this.#connection = connection;
    this.#documents = documents;
    this.#wanted = wanted;
    this.#session = session;
  }

  /** The next run of documents; empty at the end. */
  next(): Promise<DocumentRecord[]> {
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

  /** Nobody waits for a server that may hang. */
  close(): void {
    this.#cursor?.close().catch(() => undefined);
  }

  async #readOn(): Promise<DocumentRecord[]> {
    this.#cursor ??= this.#open();
    // Fetches the next run, where there is one.
    const more = await this.#cursor.hasNext();
    this.#begun = true;
    return more ? this.#cursor.readBufferedDocuments() : [];
  }

  #open(): FindCursor<DocumentRecord> {
    const { filter, sort, limit } = this.#wanted;
    const settings: Options = {
      // No `maxTimeMS`: it would count for the whole walk.
      sort,
      projection: { revision: 1, value: 1 },
      batchSize: BATCH,
      ...(limit !== undefined && { limit }),
      ...(this.#session && asOneState(this.#session)),
    };
    return this.#documents.find(filter, settings);
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

const isWithoutSnapshot = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === NO_SNAPSHOT;
