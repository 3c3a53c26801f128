import { MongoServerError, type ClientSession, type Filter, type FindCursor } from 'mongodb';
import type { FindOptions, IndexOptions, StoredDocument } from '@rollcall/application';
import type { Connection } from './connection.js';
import { indexField, type DocumentRecord, type Documents } from './documents.js';
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
export function byIndex(index: string, { prefix, from, upTo, limit }: IndexOptions): Wanted {
  const startsWith = (last?: number): string => encodeKey(last === undefined ? prefix : [...prefix, last]);
  const field = indexField(index);
  const range = { $gte: startsWith(from), $lt: behindAll(startsWith(upTo)) };
  return { filter: { [field]: range }, sort: { [field]: 1 }, limit };
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
  const { client } = connection;
  const session = connection.hasSnapshots ? client.startSession({ snapshot: true }) : undefined;
  let cursor = cursorOf(documents, wanted, session);
  const next = (): Promise<DocumentRecord[]> => nextOf(cursor);
  const first = (): Promise<DocumentRecord[]> =>
    next().catch((error: unknown) => {
      if (!isWithoutSnapshot(error)) throw error;
      cursor = cursorOf(documents, wanted);
      return next();
    });
  const read = (work: typeof next) => connection.read((deadline) => deadline.step(work));
  try {
    for (let batch = await read(first); batch.length > 0; batch = await read(next))
      yield batch.map(documentOf);
    // With its client a cursor ends as if it had shown everything.
    connection.checkIs(client);
  } finally {
    // Nobody waits for a server that may hang.
    cursor.close().catch(() => undefined);
    await session?.endSession().catch(() => undefined);
  }
}

/** The next run of documents; empty at the end. */
const nextOf = async (cursor: FindCursor<DocumentRecord>): Promise<DocumentRecord[]> =>
  (await cursor.hasNext()) ? cursor.readBufferedDocuments() : [];

const cursorOf = (
  documents: Documents,
  { filter, sort, limit }: Wanted,
  session?: ClientSession,
): FindCursor<DocumentRecord> =>
  documents.find(filter, {
    // No `maxTimeMS`: it would count for the whole walk.
    sort,
    projection: { revision: 1, value: 1 },
    batchSize: BATCH,
    ...(limit !== undefined && { limit }),
    // Otherwise it would read by the client's own concern.
    ...(session && { session, readConcern: { level: 'snapshot' } }),
  });

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
