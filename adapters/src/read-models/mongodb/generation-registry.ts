import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import {
  progressOf,
  storedProgress,
  type KnownGeneration,
  type OwnVersion,
  type StoredProgress,
} from '../generation-rules.js';
import { ReadModelsUnavailable, type ParkedStream, type Progress } from '@rollcall/application';
import type { Connection, Deadline } from './connection.js';
import { isDuplicateKey } from './outages.js';

/** The layout that this program reads and writes. */
const SCHEMA_VERSION = 2;

const STORE = 'read-models';
const COLLECTION = 'state';

/** Which generations there are; one document, so that none can be dropped and made live at once. */
interface StoreDocument {
  readonly _id: string;
  /** Of this filling of the database: another one where it was emptied and filled anew. */
  readonly filling?: string;
  readonly schemaVersion: number;
  /** The highest number given. */
  readonly last: number;
  /** By number. */
  readonly generations: Readonly<Record<string, NotedGeneration>>;
}

/** As `KnownGeneration` has them. */
type NotedGeneration = Pick<KnownGeneration, 'version' | 'begun' | 'since'>;

/** As layout 1 had it: one generation was everybody's. */
interface FormerStoreDocument {
  readonly _id: string;
  readonly filling?: string;
  readonly live: number;
  readonly since: number;
  readonly last: number;
  readonly generations: Readonly<Record<string, number>>;
}

/** How far a generation is. */
export interface GenerationDocument extends StoredProgress {
  readonly _id: string;
  readonly number: number;
  /** Grows with every change: what each change is conditional on. */
  readonly revision: number;
  readonly broken?: readonly ParkedStream[];
  /** When it was last written to. */
  readonly at: number;
}

type StateDocument = StoreDocument | GenerationDocument;

export interface StoreState {
  readonly filling: string | undefined;
  readonly known: readonly KnownGeneration[];
  /** Without `broken` where that was not asked for. */
  readonly generations: ReadonlyMap<number, GenerationDocument>;
}

export interface StateChange {
  readonly progress: Progress;
  /** Where the parked streams change too. */
  readonly broken?: readonly ParkedStream[] | undefined;
  readonly at: number;
}

/** The few documents that say what the others mean. Every change of a generation is conditional on its revision. */
export class GenerationRegistry {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get #collection(): Collection<StateDocument> {
    return this.#connection.collection<StateDocument>(COLLECTION);
  }

  /** Notes in an empty database that it is one, and brings a former layout to the present one. */
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

  /** The first generation, complete at once, where there was never any. */
  async beginEmpty(version: OwnVersion, now: number, deadline: Deadline): Promise<void> {
    if (await this.#note({ last: 0, version }, now, deadline)) await this.makeLive(1, now, deadline);
  }

  /** As it is now. `ReadModelsUnavailable` where a newer program has changed the layout. */
  async read(deadline: Deadline, options: { broken?: boolean } = {}): Promise<StoreState> {
    const found = await deadline.step((maxTimeMS) =>
      this.#collection
        .find({}, { maxTimeMS, ...(options.broken !== true && { projection: { broken: 0 } }) })
        .toArray(),
    );
    return stateOf(found);
  }

  /** False where somebody else has changed the generation since, or it is gone. */
  async change(before: GenerationDocument, change: StateChange, deadline: Deadline): Promise<boolean> {
    const { progress, broken, at } = change;
    const set = { revision: before.revision + 1, ...storedProgress(progress), ...(broken && { broken }), at };
    const filter = { _id: idOf(before.number), revision: before.revision };
    const { matchedCount } = await deadline.step(() => this.#collection.updateOne(filter, { $set: set }));
    return matchedCount === 1;
  }

  /** The number of a new, empty generation. */
  async add(version: OwnVersion, now: number, deadline: Deadline): Promise<number> {
    for (;;) {
      const { last } = await this.#store(deadline);
      if (await this.#note({ last, version }, now, deadline)) return last + 1;
    }
  }

  /** False where another generation is the last one by now. */
  async #note(
    { last, version = null }: { readonly last: number; readonly version: string | null | undefined },
    now: number,
    deadline: Deadline,
  ): Promise<boolean> {
    const number = last + 1;
    const noted: NotedGeneration = { version, begun: now, since: null };
    const change = { $set: { last: number, [`generations.${number}`]: noted } };
    const { matchedCount } = await deadline.step(() =>
      this.#collection.updateOne({ _id: STORE, last }, change),
    );
    if (matchedCount === 1) await this.#insert(generation(number, now), deadline);
    return matchedCount === 1;
  }

  /** False where the generation is gone. */
  async makeLive(number: number, now: number, deadline: Deadline): Promise<boolean> {
    const there = { _id: STORE, [`generations.${number}`]: { $exists: true } };
    const change = { $set: { [`generations.${number}.since`]: now } };
    const unfinished = { ...there, [`generations.${number}.since`]: null };
    const { matchedCount } = await deadline.step(() => this.#collection.updateOne(unfinished, change));
    if (matchedCount === 1) return true;
    return (await deadline.step(() => this.#collection.countDocuments(there))) === 1;
  }

  /** Forgets a generation; false where it is complete since another time. */
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

  /** Removes what is left of a generation that the store no longer knows. */
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
      // Another process was quicker.
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
    return { ...noted, number, written: state?.at ?? 0, progress: progressOf(state) };
  });
  return { filling: store.filling, known, generations };
}

const tooNew = (version: number): ReadModelsUnavailable =>
  new ReadModelsUnavailable(
    `the read models have the layout ${version} of a newer Rollcall, and this one knows ${SCHEMA_VERSION}: ` +
      'run the newer one, or give this one a database of its own',
  );
