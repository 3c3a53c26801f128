import { setTimeout } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import { batchesOf } from '@rollcall/application';
import type { Collections } from '../generation-rules.js';
import type { Connection, Deadline } from './connection.js';

export interface DocumentRecord {
  readonly _id: string;
  /** Of the owning stream; only higher revisions overwrite. */
  readonly revision: number;
  /** Absent from removed documents, which keeps them out of the index. */
  readonly live?: true;
  readonly value?: Uint8Array;
  /** By index: its numbers, then the document's key. */
  readonly indexed?: Readonly<Record<string, string>>;
}

export type Documents = Collection<DocumentRecord>;

const IDS = 1_000;

const firstPauseMs = 5;
const LONGEST_PAUSE_MS = 500;

export class GenerationCollections {
  readonly #connection: Connection;
  readonly #declared: Collections;
  /** By name; resolves when the indexes exist. */
  readonly #ready = new Map<string, Promise<unknown>>();

  constructor(connection: Connection, declared: Collections) {
    this.#connection = connection;
    this.#declared = declared;
  }

  of(generation: number, name: string): Documents {
    return this.#connection.collection<DocumentRecord>(`g${generation}_${this.#declared.of(name).name}`);
  }

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

  /** Call it after the database was emptied. */
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

export function generationOf(collection: string): number | undefined {
  const number = /^g(?<number>\d+)_/.exec(collection)?.groups?.['number'];
  return number === undefined ? undefined : Number(number);
}

interface FetchOptions {
  /** `majority` (default), or the newest, which a failover may roll back. */
  readonly level?: 'majority' | 'local';
  readonly revisionsOnly?: boolean;
}

/** Includes removed ones. */
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
  for (const some of batchesOf(ids, IDS)) {
    const records = await deadline.step((maxTimeMS) =>
      documents.find({ _id: { $in: some } }, { ...options, maxTimeMS }).toArray(),
    );
    for (const record of records) found.set(record._id, record);
  }
  return found;
}

/** The newest, once the majority has them; includes removed ones. */
export async function fetchNewest(
  documents: Documents,
  ids: readonly string[],
  deadline: Deadline,
): Promise<Map<string, DocumentRecord>> {
  for (const pauses = new Pauses(deadline); ; await pauses.next()) {
    const [found, known] = await Promise.all([
      fetch(documents, ids, deadline, { level: 'local' }),
      fetch(documents, ids, deadline, { revisionsOnly: true }),
    ]);
    if (newerThan(known, [...found.values()]).length === 0) return found;
  }
}

type Revised = Pick<DocumentRecord, '_id' | 'revision'>;

const newerThan = (known: ReadonlyMap<string, Revised>, records: readonly Revised[]): readonly string[] =>
  records.filter(({ _id, revision }) => (known.get(_id)?.revision ?? -1) < revision).map(({ _id }) => _id);

/** Ids whose revision the majority lacks: a failover may roll them back. */
export async function notOfMajority(
  documents: Documents,
  records: readonly Revised[],
  deadline: Deadline,
): Promise<Set<string>> {
  const ids = records.map(({ _id }) => _id);
  const known = await fetch(documents, ids, deadline, { revisionsOnly: true });
  return new Set(newerThan(known, records));
}

export class Pauses {
  readonly #deadline: Deadline;
  #ms = firstPauseMs;

  constructor(deadline: Deadline) {
    this.#deadline = deadline;
  }

  async next(): Promise<void> {
    const ms = this.#ms;
    this.#ms = Math.min(2 * ms, LONGEST_PAUSE_MS);
    await this.#deadline.step(() => setTimeout(ms));
  }
}
