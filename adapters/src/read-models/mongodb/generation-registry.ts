import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import type { ParkedOrLagging } from '../lagging.js';
import { ReadModelsUnavailable, type LastProjected, type Progress } from '@rollcall/application';
import type { Connection, Deadline } from './connection.js';
import { isDuplicateKey } from './outages.js';

/** The layout that this program reads and writes. */
const SCHEMA_VERSION = 1;

const STORE = 'read-models';
const COLLECTION = 'state';

/** Which generations there are; one document, so that none can be dropped and made live at once. */
interface StoreDocument {
  readonly _id: string;
  /** Of this filling of the database: another one where it was emptied and filled anew. */
  readonly filling?: string;
  readonly schemaVersion: number;
  /** The generation that everybody reads, and since when (ms since the epoch). */
  readonly live: number;
  readonly since: number;
  /** The highest number given. */
  readonly last: number;
  /** Number -> when it was begun. */
  readonly generations: Readonly<Record<string, number>>;
}

/** How far a generation is. */
interface GenerationDocument {
  readonly _id: string;
  readonly number: number;
  /** Grows with every change: what each change is conditional on. */
  readonly revision: number;
  /** Decimal digits. */
  readonly position: string | null;
  readonly parts: number;
  readonly last?: LastProjected;
  readonly broken?: readonly ParkedOrLagging[];
  /** When it was last written to, while it was built. */
  readonly at: number;
}

type StateDocument = StoreDocument | GenerationDocument;

export interface GenerationState {
  readonly number: number;
  readonly revision: number;
  readonly progress: Progress;
  /** Empty where they were not asked for. */
  readonly broken: readonly ParkedOrLagging[];
  readonly at: number;
}

export interface StoreState {
  readonly filling: string | undefined;
  readonly live: number;
  readonly since: number;
  readonly begun: ReadonlyMap<number, number>;
  readonly generations: ReadonlyMap<number, GenerationState>;
}

export interface StateChange {
  readonly progress?: Progress;
  readonly broken?: readonly ParkedOrLagging[];
  readonly at?: number;
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

  /** Creates what an empty database lacks. */
  async ensure(now: number, deadline: Deadline): Promise<void> {
    const found = await deadline.step(() => this.#collection.findOne({ _id: STORE }));
    if (found === null) {
      await this.#insert(generation(1, now), deadline);
      const filling = randomUUID();
      const store = {
        filling,
        schemaVersion: SCHEMA_VERSION,
        live: 1,
        since: now,
        last: 1,
        generations: { 1: now },
      };
      await this.#insert({ _id: STORE, ...store }, deadline);
    }
    await this.read(deadline);
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
  async change(before: GenerationState, change: StateChange, deadline: Deadline): Promise<boolean> {
    const { progress, broken, at } = change;
    const set = {
      revision: before.revision + 1,
      ...(progress && stored(progress)),
      ...(broken && { broken }),
      ...(at !== undefined && { at }),
    };
    const filter = { _id: idOf(before.number), revision: before.revision };
    const { matchedCount } = await deadline.step(() => this.#collection.updateOne(filter, { $set: set }));
    return matchedCount === 1;
  }

  /** The number of a new, empty generation. */
  async add(now: number, deadline: Deadline): Promise<number> {
    for (;;) {
      const { last } = await this.#store(deadline);
      const number = last + 1;
      const filter = { _id: STORE, last };
      const change = { $set: { last: number, [`generations.${number}`]: now } };
      const { matchedCount } = await deadline.step(() => this.#collection.updateOne(filter, change));
      if (matchedCount === 0) continue;
      await this.#insert(generation(number, now), deadline);
      return number;
    }
  }

  /** False where the generation is gone. */
  async makeLive(number: number, now: number, deadline: Deadline): Promise<boolean> {
    const there = { _id: STORE, [`generations.${number}`]: { $exists: true } };
    const change = { $set: { live: number, since: now } };
    const moved = { ...there, live: { $ne: number } };
    const { matchedCount } = await deadline.step(() => this.#collection.updateOne(moved, change));
    if (matchedCount === 1) return true;
    return (await deadline.step(() => this.#collection.countDocuments(there))) === 1;
  }

  /** Forgets a generation; false where it is the live one, which stays. */
  async remove(number: number, deadline: Deadline): Promise<boolean> {
    const filter = { _id: STORE, live: { $ne: number } };
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
    if (found === null || !isStore(found)) throw missing();
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
  parts: 0,
  broken: [],
  at,
});

const stored = ({
  position,
  parts,
  last,
}: Progress): Pick<GenerationDocument, 'position' | 'parts' | 'last'> => ({
  position: position === undefined ? null : position.toString(),
  parts,
  ...(last && { last }),
});

const isStore = (document: StateDocument): document is StoreDocument => document._id === STORE;

const missing = (): ReadModelsUnavailable =>
  new ReadModelsUnavailable('the database holds no read models any more: start again to have them built');

function stateOf(documents: readonly StateDocument[]): StoreState {
  const store = documents.find(isStore);
  if (store === undefined) throw missing();
  if (store.schemaVersion > SCHEMA_VERSION) throw tooNew(store.schemaVersion);
  const begun = Object.entries(store.generations).map(([number, at]) => [Number(number), at] as const);
  const generations = documents.filter((one) => !isStore(one)) as GenerationDocument[];
  return {
    filling: store.filling,
    live: store.live,
    since: store.since,
    begun: new Map(begun),
    generations: new Map(generations.map((one) => [one.number, stateOfGeneration(one)])),
  };
}

const tooNew = (version: number): ReadModelsUnavailable =>
  new ReadModelsUnavailable(
    `the read models have the layout ${version} of a newer Rollcall, and this one knows ${SCHEMA_VERSION}: ` +
      'run the newer one, or give this one a database of its own',
  );

const stateOfGeneration = (document: GenerationDocument): GenerationState => ({
  number: document.number,
  revision: document.revision,
  progress: {
    position: document.position === null ? undefined : BigInt(document.position),
    parts: document.parts,
    ...(document.last && { last: document.last }),
  },
  broken: document.broken ?? [],
  at: document.at,
});
