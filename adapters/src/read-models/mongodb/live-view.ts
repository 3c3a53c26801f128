import {
  ReadModelsBuilding,
  ReadModelsUnavailable,
  type CountRange,
  type DocumentKey,
  type FindOptions,
  type IndexOptions,
  type ParkedStream,
  type Progress,
  type ReadModelReader,
  type StoredDocument,
  type TakeValue,
} from '@rollcall/application';

import { BaseView } from '../base-view.js';
import { liveOf, progressOf } from '../generation-rules.js';
import type { Connection, Deadline } from './connection.js';
import { fetch, type Documents } from './documents.js';
import { byIndex, byKey, countFilter, findBatches } from './find.js';
import { encodeKey } from './keys.js';
import type { MongodbGenerations } from './generations.js';
import type { GenerationDocument, StoreState } from './generation-registry.js';

export interface ReadOptions {
  readonly broken?: boolean;
}

export class LiveView extends BaseView implements ReadModelReader {
  protected readonly shared: MongodbGenerations;
  protected readonly connection: Connection;

  constructor(shared: MongodbGenerations) {
    super(shared);
    this.shared = shared;
    this.connection = shared.connection;
  }

  async getMany<T>(
    collection: string,
    keys: readonly DocumentKey[],
    take: TakeValue<T>,
  ): Promise<readonly T[]> {
    const ids = keys.map(encodeKey);
    return this.connection.read(async (deadline) => {
      const found = await fetch(await this.documents(collection, deadline), ids, deadline);
      return ids.map((id, place) => take(found.get(id)?.value, place));
    });
  }

  async *findBatches(collection: string, options: FindOptions): AsyncGenerator<readonly StoredDocument[]> {
    const documents = await this.connection.read((deadline) => this.documents(collection, deadline));
    yield* findBatches(this.connection, documents, byKey(options));
  }

  async *findByIndex(
    collection: string,
    index: string,
    options: IndexOptions,
  ): AsyncGenerator<StoredDocument> {
    this.shared.declared.widthOf(collection, index);
    const documents = await this.connection.read((deadline) => this.documents(collection, deadline));
    for await (const batch of findBatches(this.connection, documents, byIndex(index, options))) yield* batch;
  }

  /** One after the other, each in the time of a read: there may be two for each company. */
  async count(collection: string, ranges: readonly CountRange[]): Promise<readonly number[]> {
    for (const { index } of ranges) if (index !== undefined) this.shared.declared.widthOf(collection, index);
    const documents = await this.connection.read((deadline) => this.documents(collection, deadline));
    const counts: number[] = [];
    for (const range of ranges) {
      const count = () => documents.countDocuments(countFilter(range));
      counts.push(await this.connection.read((deadline) => deadline.step(count)));
    }
    return counts;
  }

  progress(): Promise<Progress> {
    return this.connection.read(async (deadline) =>
      progressOf(this.stateIn(await this.storeState(deadline))),
    );
  }

  parkedStreams(): Promise<readonly ParkedStream[]> {
    return this.connection.read(
      async (deadline) => this.stateIn(await this.storeState(deadline, { broken: true })).broken ?? [],
    );
  }

  protected checkOpen(): void {
    this.connection.checkOpen();
  }

  protected async documents(collection: string, deadline: Deadline): Promise<Documents> {
    const number = this.generation(await deadline.step(() => this.shared.state.once()));
    return this.shared.collections.of(number, collection);
  }

  protected async storeState(deadline: Deadline, options: ReadOptions = {}): Promise<StoreState> {
    const store = await this.shared.registry.read(deadline, options);
    this.shared.seen(store);
    return store;
  }

  protected stateIn(store: StoreState): GenerationDocument {
    const number = this.generation(store);
    const state = store.generations.get(number);
    if (state === undefined)
      throw new ReadModelsUnavailable(`generation ${number} of the read models is gone`);
    return state;
  }

  protected generation({ known }: StoreState): number {
    const live = liveOf(known, this.shared.version);
    if (live === undefined) throw new ReadModelsBuilding();
    return live.number;
  }
}
