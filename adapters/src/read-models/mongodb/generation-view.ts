import {
  ReadModelsBuilding,
  ReadModelsUnavailable,
  type DocumentKey,
  type DocumentWrite,
  type FindOptions,
  type IndexOptions,
  type NewestDocument,
  type ParkedStream,
  type Progress,
  type ProgressChanges,
  type ReadModelReader,
  type ReadModelWriter,
  type StoredDocument,
  type TakeValue,
} from '@rollcall/application';

import { BaseView, ensureForward } from '../base-view.js';
import { liveOf, progressOf } from '../generation-rules.js';
import type { Connection, Deadline } from './connection.js';
import { fetch, fetchNewest, type DocumentRecord, type Documents } from './documents.js';
import { byIndex, byKey, findBatches } from './find.js';
import { encodeKey } from './keys.js';
import type { MongodbGenerations } from './generations.js';
import type { GenerationDocument, StoreState } from './generation-registry.js';
import { prepareStage, writeRecords, type PreparedStage } from './write-documents.js';

/** So many streams do not break one by one: the program or the log is wrong, and the projector stops. */
const MAX_BROKEN = 20_000;

/** Reads and writes one generation, or whichever is live. */
export class GenerationView extends BaseView implements ReadModelReader, ReadModelWriter {
  readonly #shared: MongodbGenerations;
  readonly #connection: Connection;
  /** Absent: the live one of the moment. */
  readonly #fixed: number | undefined;

  constructor(shared: MongodbGenerations, fixed?: number) {
    super(shared);
    this.#shared = shared;
    this.#connection = shared.connection;
    this.#fixed = fixed;
  }

  async getMany<T>(
    collection: string,
    keys: readonly DocumentKey[],
    take: TakeValue<T>,
  ): Promise<readonly T[]> {
    return (await this.#fetch(collection, keys, fetch)).map((record, place) => take(record?.value, place));
  }

  async newest(
    collection: string,
    keys: readonly DocumentKey[],
  ): Promise<readonly (NewestDocument | undefined)[]> {
    const found = await this.#fetch(collection, keys, fetchNewest);
    return found.map((record) => record && { revision: record.revision, value: record.value });
  }

  async *findBatches(collection: string, options: FindOptions): AsyncGenerator<readonly StoredDocument[]> {
    const documents = await this.#connection.read((deadline) => this.#documents(collection, deadline));
    yield* findBatches(this.#connection, documents, byKey(options));
  }

  async *findByIndex(
    collection: string,
    index: string,
    options: IndexOptions,
  ): AsyncGenerator<StoredDocument> {
    this.#shared.declared.widthOf(collection, index);
    const documents = await this.#connection.read((deadline) => this.#documents(collection, deadline));
    for await (const batch of findBatches(this.#connection, documents, byIndex(index, options))) yield* batch;
  }

  progress(): Promise<Progress> {
    return this.#connection.read(async (deadline) => progressOf(await this.#state(deadline)));
  }

  parkedStreams(): Promise<readonly ParkedStream[]> {
    return this.#connection.read(
      async (deadline) => (await this.#state(deadline, { broken: true })).broken ?? [],
    );
  }

  protected checkOpen(): void {
    this.#connection.checkOpen();
  }

  async write(stages: readonly (readonly DocumentWrite[])[]): Promise<void> {
    const prepared = stages.map((writes) => prepareStage(this.#shared.declared, writes));
    const { number } = await this.#connection.read((deadline) => this.#state(deadline));
    for (const stage of prepared)
      await this.#connection.write((deadline) => this.#writeStage(number, stage, deadline));
    this.written(stages);
  }

  async #writeStage(generation: number, stage: PreparedStage, deadline: Deadline): Promise<void> {
    const { collections } = this.#shared;
    const writing = [...stage].map(async ([name, records]) =>
      writeRecords(await collections.ensured(generation, name, deadline), records, deadline),
    );
    await Promise.all(writing);
  }

  async advance(expected: Progress, next: Progress, changes: ProgressChanges = {}): Promise<boolean> {
    ensureForward(expected, next);
    const { documents, ...streams } = changes;
    if (documents !== undefined) await this.write(documents);
    const done = await this.#connection.write(async (deadline) => {
      const state = await this.#state(deadline, { broken: Object.keys(streams).length > 0 });
      if (progressOf(state).position !== expected.position || !areParked(state, streams)) return false;
      const change = { progress: next, broken: changedStreams(state, streams), at: this.#shared.now() };
      return this.#shared.registry.change(state, change, deadline);
    });
    if (done) this.written([], next.position);
    return done;
  }

  #live({ known }: StoreState): number {
    const live = liveOf(known, this.#shared.version);
    if (live === undefined) throw new ReadModelsBuilding();
    return live.number;
  }

  /** By one of the ways to fetch them, in the order of the keys. */
  #fetch(
    collection: string,
    keys: readonly DocumentKey[],
    by: typeof fetchNewest,
  ): Promise<readonly (DocumentRecord | undefined)[]> {
    return this.#connection.read(async (deadline) => {
      const ids = keys.map(encodeKey);
      const documents = await this.#documents(collection, deadline);
      const found = await by(documents, ids, deadline);
      return ids.map((id) => found.get(id));
    });
  }

  async #documents(collection: string, deadline: Deadline): Promise<Documents> {
    const number = this.#fixed ?? this.#live(await deadline.step(() => this.#shared.live.once()));
    return this.#shared.collections.of(number, collection);
  }

  async #state(deadline: Deadline, options: { broken?: boolean } = {}): Promise<GenerationDocument> {
    const store = await this.#shared.registry.read(deadline, options);
    this.#shared.seen(store);
    const number = this.#fixed ?? this.#live(store);
    const state = store.generations.get(number);
    if (state === undefined)
      throw new ReadModelsUnavailable(`generation ${number} of the read models is gone`);
    return state;
  }
}

const areParked = ({ broken = [] }: GenerationDocument, { skipped = [] }: ProgressChanges): boolean =>
  skipped.every((wanted) => broken.some(({ stream }) => stream === wanted));

/** The streams that are parked, where the change is to any of them. */
function changedStreams(
  { broken = [] }: GenerationDocument,
  { park, unpark }: ProgressChanges,
): readonly ParkedStream[] | undefined {
  if (park === undefined && unpark === undefined) return undefined;
  const others = broken.filter(({ stream }) => stream !== park?.stream && stream !== unpark);
  if (park === undefined) return others;
  if (others.length >= MAX_BROKEN)
    throw new ReadModelsUnavailable(`more than ${MAX_BROKEN} streams cannot be projected`);
  return [...others, park];
}
