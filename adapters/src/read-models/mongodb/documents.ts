import { setTimeout } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import type { Collections } from '../collections.js';
import type { Connection, Deadline } from './connection.js';

/** A document as MongoDB holds it. A removed one stays, without its content. */
export interface DocumentRecord {
  readonly _id: string;
  /** Of the stream that it belongs to: a write is carried out where it is lower. */
  readonly revision: number;
  /** Absent from removed documents, which are left out of the index by it. */
  readonly live?: true;
  readonly value?: Uint8Array;
  /** By index, its numbers and then the document's key, as in keys. */
  readonly indexed?: Readonly<Record<string, string>>;
}

export type Documents = Collection<DocumentRecord>;

/** Ids in one query. */
const IDS = 1_000;

/** How long what the majority does not have yet is waited for, at first and at most. */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 500;

/** The collections of all generations. */
export class GenerationCollections {
  readonly #connection: Connection;
  readonly #declared: Collections;
  /** By their names: resolve when the indexes are there. */
  readonly #ready = new Map<string, Promise<unknown>>();

  constructor(connection: Connection, declared: Collections) {
    this.#connection = connection;
    this.#declared = declared;
  }

  of(generation: number, name: string): Documents {
    return this.#connection.collection<DocumentRecord>(`g${generation}_${this.#declared.of(name).name}`);
  }

  /** The same once its indexes are there: of the live documents in the order of their keys, and the declared ones. */
  async ensured(generation: number, name: string, deadline: Deadline): Promise<Documents> {
    const documents = this.of(generation, name);
    const { collectionName } = documents;
    let ready = this.#ready.get(collectionName);
    if (ready === undefined) {
      ready = this.#createIndexes(documents, name, deadline);
      this.#ready.set(collectionName, ready);
      ready.catch(() => this.#ready.delete(collectionName));
    }
    await ready;
    return documents;
  }

  /** The database was emptied: nothing is there any more. */
  forget(): void {
    this.#ready.clear();
  }

  async #createIndexes(documents: Documents, name: string, deadline: Deadline): Promise<void> {
    await deadline.step(() => documents.createIndex({ live: 1, _id: 1 }, undefined, undefined));
    for (const index of Object.keys(this.#declared.of(name).indexes))
      await deadline.step(() =>
        documents.createIndex({ [indexField(index)]: 1 }, { sparse: true }, undefined),
      );
  }
}

export const indexField = (index: string): string => `indexed.${index}`;

/** The generation of a collection; undefined where it is none of a generation. */
export function generationOf(collection: string): number | undefined {
  const number = /^g(?<number>\d+)_/.exec(collection)?.groups?.['number'];
  return number === undefined ? undefined : Number(number);
}

export interface FetchOptions {
  /** What the majority has, by default, or the newest, which a change of primary may take back. */
  readonly level?: 'majority' | 'local';
  /** Without what is in them. */
  readonly revisionsOnly?: boolean;
}

/** The documents under these ids, removed ones too. */
export async function fetch(
  documents: Documents,
  ids: readonly string[],
  deadline: Deadline,
  { level = 'majority', revisionsOnly = false }: FetchOptions = {},
): Promise<Map<string, DocumentRecord>> {
  const found = new Map<string, DocumentRecord>();
  const options = {
    batchSize: IDS,
    readConcern: { level },
    ...(revisionsOnly && { projection: { revision: 1, live: 1 } }),
  };
  for (let at = 0; at < ids.length; at += IDS) {
    const some = ids.slice(at, at + IDS);
    const records = await deadline.step((maxTimeMS) =>
      documents.find({ _id: { $in: some } }, { ...options, maxTimeMS }).toArray(),
    );
    for (const record of records) found.set(record._id, record);
  }
  return found;
}

/** The newest documents under these ids, removed ones too, once the majority has them. */
export async function fetchNewest(
  documents: Documents,
  ids: readonly string[],
  deadline: Deadline,
): Promise<Map<string, DocumentRecord>> {
  for (const pauses = new Pauses(deadline); ; await pauses.next()) {
    const found = await fetch(documents, ids, deadline, { level: 'local' });
    if ((await notOfMajority(documents, [...found.values()], deadline)).size === 0) return found;
  }
}

/** The ids of those that the majority does not have as new as this; a change of primary may take them back. */
export async function notOfMajority(
  documents: Documents,
  records: readonly Pick<DocumentRecord, '_id' | 'revision'>[],
  deadline: Deadline,
): Promise<Set<string>> {
  const ids = records.map(({ _id }) => _id);
  const known = await fetch(documents, ids, deadline, { revisionsOnly: true });
  return new Set(
    records.filter(({ _id, revision }) => (known.get(_id)?.revision ?? -1) < revision).map(({ _id }) => _id),
  );
}

/** Growing pauses within a call's deadline. */
export class Pauses {
  readonly #deadline: Deadline;
  #ms = FIRST_PAUSE_MS;

  constructor(deadline: Deadline) {
    this.#deadline = deadline;
  }

  async next(): Promise<void> {
    const ms = this.#ms;
    this.#ms = Math.min(2 * ms, LONGEST_PAUSE_MS);
    await this.#deadline.step(() => setTimeout(ms));
  }
}
