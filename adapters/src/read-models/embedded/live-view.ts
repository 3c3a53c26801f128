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
import { progressOf } from '../generation-rules.js';
import { orUnavailable, type Environment } from './environment.js';
import { byIndex, byKey, countIn, findBatches, type Wanted } from './find.js';
import type { EmbeddedGenerations } from './generations.js';
import { encodeKey, keySpace } from './keys.js';
import { valueIn } from './records.js';

interface OwnCollection {
  readonly generation: number;
  readonly collection: string;
}

type TakeRecord<T> = (record: Buffer | undefined, place: number) => T;

export class LiveView extends BaseView implements ReadModelReader {
  protected readonly shared: EmbeddedGenerations;
  protected readonly environment: Environment;

  constructor(shared: EmbeddedGenerations) {
    super(shared);
    this.shared = shared;
    this.environment = shared.environment;
  }

  getMany<T>(collection: string, keys: readonly DocumentKey[], take: TakeValue<T>): Promise<readonly T[]> {
    return this.use((generation) =>
      this.recordsOf({ generation, collection }, keys, (record, place) =>
        take(record && valueIn(record), place),
      ),
    );
  }

  findBatches(collection: string, options: FindOptions): AsyncGenerator<readonly StoredDocument[]> {
    const wanted = (generation: number): Wanted =>
      byKey(this.environment, { generation, collection }, options);
    return this.#find(collection, wanted);
  }

  async *findByIndex(
    collection: string,
    index: string,
    options: IndexOptions,
  ): AsyncGenerator<StoredDocument> {
    const width = this.shared.declared.widthOf(collection, index);
    const wanted = (generation: number): Wanted =>
      byIndex(this.environment, { generation, collection, index, width }, options);
    for await (const batch of this.#find(collection, wanted)) yield* batch;
  }

  count(collection: string, ranges: readonly CountRange[]): Promise<readonly number[]> {
    const { declared } = this.shared;
    for (const { index } of ranges)
      if (index === undefined) declared.of(collection);
      else declared.widthOf(collection, index);
    return this.use((generation) =>
      ranges.map((range) => countIn(this.environment, { generation, collection }, range)),
    );
  }

  progress(): Promise<Progress> {
    return this.use((generation) => progressOf(this.environment.progress.get(generation)));
  }

  parkedStreams(): Promise<readonly ParkedStream[]> {
    return this.use((generation) => {
      const range = this.environment.parked.getRange({ start: [generation], end: [generation + 1] });
      return [...range].map(({ value }) => value);
    });
  }

  async *#find(
    collection: string,
    wantedIn: (generation: number) => Wanted,
  ): AsyncGenerator<readonly StoredDocument[]> {
    this.shared.declared.of(collection);
    // No await between choosing the generation and its snapshot.
    const [wanted, snapshot] = await this.use(
      (generation) => [wantedIn(generation), this.shared.snapshots.take()] as const,
    );
    yield* findBatches(snapshot, wanted);
  }

  /** `take` gets the store's own bytes, valid until the next record. */
  protected recordsOf<T>(of: OwnCollection, keys: readonly DocumentKey[], take: TakeRecord<T>): readonly T[] {
    this.shared.declared.of(of.collection);
    const space = keySpace(of.generation, of.collection);
    return keys.map((key, place) => take(this.environment.records.get(encodeKey(space, key)), place));
  }

  protected checkOpen(): void {
    if (!this.environment.isOpen()) throw new ReadModelsUnavailable('the read models are closed');
  }

  /** Reads are the newest until the first await. */
  protected async use<T>(work: (generation: number) => Promise<T> | T): Promise<T> {
    this.checkOpen();
    return orUnavailable(() => {
      this.environment.root.resetReadTxn();
      return work(this.generation());
    });
  }

  protected generation(): number {
    const live = this.shared.live();
    if (live === undefined) throw new ReadModelsBuilding();
    return live;
  }
}
