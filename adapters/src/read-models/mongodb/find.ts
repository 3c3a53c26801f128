import { MongoServerError, type ClientSession, type Filter, type FindCursor } from 'mongodb';
import type { CountRange, FindOptions, IndexOptions, StoredDocument } from '@rollcall/application';
import type { Connection } from './connection.js';
import { indexField, type DocumentRecord, type Documents } from './documents.js';
import { behindAll, decodeKey, encodeKey } from './keys.js';

const BATCH = 1_000;

/** `SnapshotUnavailable`: the collection is too new for a snapshot. */
const NO_SNAPSHOT = 246;

const documentOf = ({ _id, revision, value = new Uint8Array() }: DocumentRecord): StoredDocument => ({
  revision,
  value,
  get key() {
    return decodeKey(_id);
  },
});

interface Wanted {
  readonly filter: Filter<DocumentRecord>;
  readonly sort: Readonly<Record<string, 1 | -1>>;
  readonly limit: number | undefined;
}

export function byKey(options: FindOptions): Wanted {
  const order = options.reverse ? -1 : 1;
  return {
    filter: { live: true, _id: rangeOf(options) },
    sort: { live: order, _id: order },
    limit: options.limit,
  };
}

export function byIndex(index: string, { prefix, from, upTo, limit }: IndexOptions): Wanted {
  const startsWith = (last?: number): string => encodeKey(last === undefined ? prefix : [...prefix, last]);
  const field = indexField(index);
  const range = { $gte: startsWith(from), $lt: behindAll(startsWith(upTo)) };
  return { filter: { [field]: range }, sort: { [field]: 1 }, limit };
}

export const countFilter = ({ index, from, to }: CountRange): Filter<DocumentRecord> => ({
  [index === undefined ? '_id' : indexField(index)]: { $gte: encodeKey(from), $lt: encodeKey(to) },
});

/** Reads one snapshot on a replica set (kept 5 minutes by default), on a standalone server the present documents. */
export async function* findBatches(
  connection: Pick<Connection, 'checkIs' | 'client' | 'collection' | 'hasSnapshots' | 'read'>,
  { collectionName }: Documents,
  wanted: Wanted,
): AsyncGenerator<readonly StoredDocument[]> {
  if (wanted.limit === 0) return;
  const { client } = connection;
  // Session and collection must belong to the same client.
  const documents = connection.collection<DocumentRecord>(collectionName);
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
    // A closed client's cursor ends as if it were complete.
    connection.checkIs(client);
  } finally {
    // The server may hang: not awaited. An ended session closes no cursor.
    const closed = cursor.close().catch(() => undefined);
    closed.then(() => session?.endSession()).catch(() => undefined);
  }
}

/** In the order of the keys, removed ones too, each as the majority has it at some moment. */
export async function* allRecords(
  connection: Pick<Connection, 'checkIs' | 'client' | 'collection' | 'read'>,
  { collectionName }: Documents,
): AsyncGenerator<readonly DocumentRecord[]> {
  const { client } = connection;
  const cursor = connection
    .collection<DocumentRecord>(collectionName)
    .find({}, { sort: { _id: 1 }, batchSize: BATCH, readConcern: { level: 'majority' } });
  const next = (): Promise<DocumentRecord[]> =>
    connection.read((deadline) => deadline.step(() => nextOf(cursor)));
  try {
    for (let batch = await next(); batch.length > 0; batch = await next()) yield batch;
    connection.checkIs(client);
  } finally {
    cursor.close().catch(() => undefined);
  }
}

const nextOf = async (cursor: FindCursor<DocumentRecord>): Promise<DocumentRecord[]> =>
  (await cursor.hasNext()) ? cursor.readBufferedDocuments() : [];

const cursorOf = (
  documents: Documents,
  { filter, sort, limit }: Wanted,
  session?: ClientSession,
): FindCursor<DocumentRecord> =>
  documents.find(filter, {
    // No `maxTimeMS`: it would limit the whole iteration.
    sort,
    projection: { revision: 1, value: 1 },
    batchSize: BATCH,
    ...(limit !== undefined && { limit }),
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
