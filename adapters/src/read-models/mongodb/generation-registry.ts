import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import {
  progressOf,
  storedProgress,
  type KnownGeneration,
  type StoredProgress,
} from '../generation-rules.js';
import { ReadModelsUnavailable, type ParkedStream, type Progress } from '@rollcall/application';
import type { Connection, Deadline } from './connection.js';
import { isDuplicateKey } from './outages.js';

const SCHEMA_VERSION = 2;

const STORE = 'read-models';
const COLLECTION = 'state';

/** One document, so that no generation is dropped and made live at once. */
interface StoreDocument {
  readonly _id: string;
  /** Changes when the database is emptied and filled anew. */
  readonly filling?: string;
  readonly schemaVersion: number;
  readonly last: number;
  readonly generations: Readonly<Record<string, NotedGeneration>>;
}

export type NotedGeneration = Pick<KnownGeneration, 'version' | 'begun' | 'since'> & {
  readonly claim?: string | null;
};

/** Layout 1: one generation for all versions. */
interface FormerStoreDocument {
  readonly _id: string;
  readonly filling?: string;
  readonly live: number;
  readonly since: number;
  readonly last: number;
  readonly generations: Readonly<Record<string, number>>;
}

export interface GenerationDocument extends StoredProgress {
  readonly _id: string;
  readonly number: number;
  /** Grows with each change; each change is conditional on it. */
  readonly revision: number;
  /** The parked streams. The stored name: another one would need a migration. */
  readonly broken?: readonly ParkedStream[];
  readonly at: number;
}

type StateDocument = StoreDocument | GenerationDocument;

export interface StoreState {
  readonly last: number;
  readonly filling: string | undefined;
  readonly known: readonly KnownGeneration[];
  readonly generations: ReadonlyMap<number, GenerationDocument>;
}

interface StateChange {
  readonly progress: Progress;
  readonly broken?: readonly ParkedStream[] | undefined;
  readonly at: number;
}

/** Documents that describe generations. Each change of one is conditional on its revision. */
export class GenerationRegistry {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get #collection(): Collection<StateDocument> {
    return this.#connection.collection<StateDocument>(COLLECTION);
  }

  /** Marks an empty database, and upgrades a former layout. */
  async ensure(deadline: Deadline): Promise<void> {
    const found = await deadline.step(() => this.#collection.findOne({ _id: STORE }));
    if (found === null) {
      const store = { filling: randomUUID(), schemaVersion: SCHEMA_VERSION, last: 0, generations: {} };
      await this.#insert({ _id: STORE, ...store }, deadline);
    } else if (isFormer(found)) {
      const former = { _id: STORE, schemaVersion: 1 };
      await deadline.step(() => this.#collection.replaceOne(former, converted(found)));
    }
    await this.read(deadline);
  }

  /** The first generation, complete at once, if there was never any. */
  async beginEmpty(noted: NotedGeneration, deadline: Deadline): Promise<void> {
    if (await this.note(0, noted, deadline)) await this.makeLive(1, noted.begun, deadline);
  }

  /** `ReadModelsUnavailable` where a newer program has changed the layout. */
  async read(deadline: Deadline, options: { broken?: boolean } = {}): Promise<StoreState> {
    const found = await deadline.step((maxTimeMS) =>
      this.#collection
        .find({}, { maxTimeMS, ...(options.broken !== true && { projection: { broken: 0 } }) })
        .toArray(),
    );
    return stateOf(found);
  }

  /** False where the generation was changed or dropped since. */
  async change(before: GenerationDocument, change: StateChange, deadline: Deadline): Promise<boolean> {
    const { progress, broken, at } = change;
    const set = { revision: before.revision + 1, ...storedProgress(progress), ...(broken && { broken }), at };
    const filter = { _id: idOf(before.number), revision: before.revision };
    const { matchedCount } = await deadline.step(() => this.#collection.updateOne(filter, { $set: set }));
    return matchedCount === 1;
  }

  async add(noted: NotedGeneration, deadline: Deadline): Promise<number> {
    for (;;) {
      const { last } = await this.#store(deadline);
      if (await this.note(last, noted, deadline)) return last + 1;
    }
  }

  /** False where another generation was added since. */
  async note(last: number, noted: NotedGeneration, deadline: Deadline): Promise<boolean> {
    const number = last + 1;
    const change = { $set: { last: number, [`generations.${number}`]: noted } };
    const { matchedCount } = await deadline.step(() =>
      this.#collection.updateOne({ _id: STORE, last }, change),
    );
    if (matchedCount === 1) await this.#insert(generation(number, noted.begun), deadline);
    return matchedCount === 1;
  }

  /** False where the claim has changed since. */
  async setClaim(
    { number, claim, begun }: Pick<KnownGeneration, 'number' | 'claim' | 'begun'>,
    next: string | undefined,
    deadline: Deadline,
  ): Promise<boolean> {
    const path = `generations.${number}`;
    const filter = { _id: STORE, [`${path}.since`]: null, [`${path}.claim`]: claim ?? null };
    const change = { $set: { [`${path}.claim`]: next ?? null, [`${path}.begun`]: begun } };
    const { matchedCount } = await deadline.step(() => this.#collection.updateOne(filter, change));
    if (matchedCount === 0) return false;
    // Its creation was interrupted: no progress yet.
    await this.#insert(generation(number, begun), deadline);
    return true;
  }

  /** False where it is gone. */
  async makeLive(number: number, now: number, deadline: Deadline): Promise<boolean> {
    const there = { _id: STORE, [`generations.${number}`]: { $exists: true } };
    const change = { $set: { [`generations.${number}.since`]: now } };
    const unfinished = { ...there, [`generations.${number}.since`]: null };
    const { matchedCount } = await deadline.step(() => this.#collection.updateOne(unfinished, change));
    const isThere =
      matchedCount === 1 || (await deadline.step(() => this.#collection.countDocuments(there))) === 1;
    if (isThere) await this.#fence(number, deadline);
    return isThere;
  }

  /** A fencing write: readers of the old state can change nothing after the switch. */
  async #fence(number: number, deadline: Deadline): Promise<void> {
    const { generations } = await this.#store(deadline);
    const version = generations[number]?.version;
    const older = Object.keys(generations).filter(
      (one) => Number(one) < number && generations[one]?.version === version,
    );
    const filter = { _id: { $in: older.map((one) => idOf(Number(one))) } };
    await deadline.step(() => this.#collection.updateMany(filter, { $inc: { revision: 1 } }));
  }

  /** False where it was completed since. */
  async remove(
    { number, since }: Pick<KnownGeneration, 'number' | 'since'>,
    deadline: Deadline,
  ): Promise<boolean> {
    const filter = { _id: STORE, [`generations.${number}.since`]: since };
    const change = { $unset: { [`generations.${number}`]: true as const } };
    const { matchedCount } = await deadline.step(() => this.#collection.updateOne(filter, change));
    if (matchedCount === 0) return false;
    await this.forget(number, deadline);
    return true;
  }

  /** Deletes leftovers of a generation that is no longer registered. */
  async forget(number: number, deadline: Deadline): Promise<void> {
    await deadline.step(() => this.#collection.deleteOne({ _id: idOf(number) }));
  }

  async #store(deadline: Deadline): Promise<StoreDocument> {
    const found = await deadline.step(() => this.#collection.findOne({ _id: STORE }));
    if (found === null || !isStore(found) || isFormer(found)) throw missing();
    return found;
  }

  async #insert(document: StateDocument, deadline: Deadline): Promise<void> {
    try {
      await deadline.step(() => this.#collection.insertOne(document));
    } catch (error) {
      // Another process was faster.
      if (!isDuplicateKey(error)) throw error;
    }
  }
}

const idOf = (number: number): string => `generation-${number}`;

const generation = (number: number, at: number): GenerationDocument => ({
  _id: idOf(number),
  number,
  revision: 1,
  position: null,
  broken: [],
  at,
});

const isStore = (document: StateDocument): document is StoreDocument => document._id === STORE;

const isFormer = (document: object): document is FormerStoreDocument => 'live' in document;

const converted = ({
  filling,
  live,
  since,
  last,
  generations,
}: FormerStoreDocument): Omit<StoreDocument, '_id'> => ({
  ...(filling !== undefined && { filling }),
  schemaVersion: SCHEMA_VERSION,
  last,
  generations: Object.fromEntries(
    Object.entries(generations).map(([number, begun]) => [
      number,
      { version: null, begun, since: Number(number) === live ? since : null },
    ]),
  ),
});

const missing = (): ReadModelsUnavailable =>
  new ReadModelsUnavailable('the database holds no read models any more: start again to have them built');

function stateOf(documents: readonly StateDocument[]): StoreState {
  const store = documents.find(isStore);
  if (store === undefined) throw missing();
  if (store.schemaVersion > SCHEMA_VERSION) throw tooNew(store.schemaVersion);
  const states = documents.filter((one): one is GenerationDocument => !isStore(one));
  const generations = new Map(states.map((one) => [one.number, one]));
  const known = Object.entries(store.generations).map(([key, noted]) => {
    const number = Number(key);
    const state = generations.get(number);
    const claim = noted.claim ?? undefined;
    return { ...noted, claim, number, written: state?.at ?? 0, progress: progressOf(state) };
  });
  return { filling: store.filling, last: store.last, known, generations };
}

const tooNew = (version: number): ReadModelsUnavailable =>
  new ReadModelsUnavailable(
    `the read models have the layout ${version} of a newer Rollcall, and this one knows ${SCHEMA_VERSION}: ` +
      'run the newer one, or give this one a database of its own',
  );
