import type { ClientSession, Collection } from 'mongodb';
import type { Connection, Deadline } from './connection.js';
import type { Stored } from './fold.js';
import type { Version } from './versions.js';

/**
 * A document as MongoDB holds it. A removed one stays, without its content: as long as a generation lasts, a projector
 * that fell behind in the middle of a batch may come with what it was before.
 */
export interface DocumentRecord {
  readonly _id: string;
  readonly version: Version;
  /** Only where it is another than `version`. */
  readonly amended?: Version;
  /** Absent from removed documents, which are left out of the index by it. */
  readonly live?: true;
  /** JSON text in UTF-8. */
  readonly json?: Uint8Array;
}

export type Documents = Collection<DocumentRecord>;

/** Ids in one query. */
const IDS = 1_000;

/** The collections of one generation. */
export class GenerationCollections {
  readonly #connection: Connection;
  readonly #prefix: string;
  readonly #ready = new Map<string, Promise<unknown>>();

  constructor(connection: Connection, generation: number) {
    this.#connection = connection;
    this.#prefix = prefixOf(generation);
  }

  documents(name: string): Documents {
    return this.#connection.collection<DocumentRecord>(this.#prefix + name);
  }

  /** Makes sure that the documents' index is there: it walks the live ones in the order of their keys. */
  async ensure(name: string, deadline: Deadline): Promise<void> {
    let ready = this.#ready.get(name);
    if (ready === undefined) {
      ready = deadline.step(() =>
        this.documents(name).createIndex({ live: 1, _id: 1 }, undefined, undefined),
      );
      this.#ready.set(name, ready);
      ready.catch(() => this.#ready.delete(name));
    }
    await ready;
  }
}

/** What the names of a generation's collections begin with. */
export const prefixOf = (generation: number): string => `g${generation}_`;

/** The generation of a collection; undefined where it is none of a generation. */
export function generationOf(collection: string): number | undefined {
  const number = /^g(?<number>\d+)_/.exec(collection)?.groups?.['number'];
  return number === undefined ? undefined : Number(number);
}

export interface FetchOptions {
  /** Sees the state that the session began with. */
  readonly session?: ClientSession | undefined;
  /** What is written next is decided by it: the newest, even where the majority does not have it yet. */
  readonly newest?: boolean;
}

/** Options of a read in a snapshot session, which would otherwise read by the client's own concern. */
export const asOneState = (
  session: ClientSession,
): { session: ClientSession; readConcern: { level: 'snapshot' } } => ({
  session,
  readConcern: { level: 'snapshot' },
});

/** The documents under these ids, removed ones too. */
export async function fetch(
  documents: Documents,
  ids: readonly string[],
  deadline: Deadline,
  { session, newest = false }: FetchOptions = {},
): Promise<Map<string, DocumentRecord>> {
  const found = new Map<string, DocumentRecord>();
  for (let at = 0; at < ids.length; at += IDS) {
    const some = ids.slice(at, at + IDS);
    const records = await deadline.step((maxTimeMS) =>
      documents
        .find(
          { _id: { $in: some } },
          {
            maxTimeMS,
            batchSize: IDS,
            ...(session && asOneState(session)),
            ...(newest && { readConcern: { level: 'local' } }),
          },
        )
        .toArray(),
    );
    for (const record of records) found.set(record._id, record);
  }
  return found;
}

export const storedOf = (record: DocumentRecord): Stored => ({
  version: record.version,
  amended: record.amended ?? record.version,
  json: record.live === true ? record.json : undefined,
});

/** What replaces a record, but for its id. */
export const recordOf = ({ version, amended, json }: Stored): Omit<DocumentRecord, '_id'> => ({
  version,
  ...(amended !== version && { amended }),
  ...(json !== undefined && { live: true as const, json }),
});

/** Finds the record while nobody has written it since. */
export const untouched = (id: string, { version, amended }: Stored) => ({
  _id: id,
  version,
  amended: amended === version ? { $exists: false } : amended,
});

/** Finds the record while it is older. */
export const older = (id: string, version: Version) => ({ _id: id, version: { $lt: version } });
