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
import { progressOf, storedProgress } from '../generation-rules.js';
import { orUnavailable, type Environment } from './environment.js';
import { byIndex, byKey, findBatches, type Wanted } from './find.js';
import type { EmbeddedGenerations } from './generations.js';
import { encodeKey, keySpace } from './keys.js';
import { RecordMaker, revisionIn, valueIn } from './records.js';
import { inTransactions, prepareWrites, writeDocuments, type PreparedWrite } from './write-documents.js';

type TakeRecord<T> = (record: Buffer | undefined, place: number) => T;

/** Reads and writes one generation, or whichever is live. */
export class GenerationView extends BaseView implements ReadModelReader, ReadModelWriter {
  readonly #shared: EmbeddedGenerations;
  readonly #environment: Environment;
  /** Absent: the live one of the moment. */
  readonly #fixed: number | undefined;
  readonly #maker = new RecordMaker();

  constructor(shared: EmbeddedGenerations, fixed?: number) {
    const { pollMs, environment } = shared;
    super({ pollMs, hintName: `rollcall-read-models:${environment.folder}:${fixed ?? 'live'}` });
    this.#shared = shared;
    this.#environment = environment;
    this.#fixed = fixed;
  }

  getMany<T>(collection: string, keys: readonly DocumentKey[], take: TakeValue<T>): Promise<readonly T[]> {
    return this.#read(collection, keys, (record, place) => take(record && valueIn(record), place));
  }

  newest(
    collection: string,
    keys: readonly DocumentKey[],
    copy: (value: Uint8Array) => Uint8Array = (value) => Buffer.from(value),
  ): Promise<readonly (NewestDocument | undefined)[]> {
    return this.#read(collection, keys, (record) => {
      const value = record && valueIn(record);
      return record && { revision: revisionIn(record), value: value && copy(value) };
    });
  }

  findBatches(collection: string, options: FindOptions): AsyncGenerator<readonly StoredDocument[]> {
    const wanted = (generation: number): Wanted =>
      byKey(this.#environment, { generation, collection }, options);
    return this.#find(collection, wanted);
  }

  async *findByIndex(
    collection: string,
    index: string,
    options: IndexOptions,
  ): AsyncGenerator<StoredDocument> {
    const width = this.#shared.declared.widthOf(collection, index);
    const wanted = (generation: number): Wanted =>
      byIndex(this.#environment, { generation, collection, index, width }, options);
    for await (const batch of this.#find(collection, wanted)) yield* batch;
  }

  progress(): Promise<Progress> {
    return this.#use((generation) => progressOf(this.#environment.progress.get(generation)));
  }

  parkedStreams(): Promise<readonly ParkedStream[]> {
    return this.#use((generation) => {
      const range = this.#environment.broken.getRange({ start: [generation], end: [generation + 1] });
      return [...range].map(({ value }) => value);
    });
  }

  write(stages: readonly (readonly DocumentWrite[])[]): Promise<void> {
    return this.#use(async (generation) => {
      await this.#write(generation, stages, () => undefined);
      this.written(stages);
    });
  }

  async advance(expected: Progress, next: Progress, changes: ProgressChanges = {}): Promise<boolean> {
    ensureForward(expected, next);
    const { documents = [] } = changes;
    return this.#use(async (generation) => {
      const done = await this.#write(generation, documents, (stored) => {
        if (stored.position !== expected.position || !this.#areParked(generation, changes)) return false;
        this.#change(generation, next, changes);
        return true;
      });
      this.written(documents, done ? next.position : undefined);
      return done;
    });
  }

  /** What `last` does belongs to the last of its transactions. */
  async #write<T>(
    generation: number,
    stages: readonly (readonly DocumentWrite[])[],
    last: (progress: Progress) => T,
  ): Promise<T> {
    const parts = [...inTransactions(prepareWrites(this.#shared.declared, generation, stages))];
    const commit = <R>(writes: readonly PreparedWrite[], then: (progress: Progress) => R): Promise<R> =>
      this.#environment.root.transaction(() => {
        const stored = this.#ensureThere(generation);
        writeDocuments(this.#environment, this.#maker, writes);
        return then(progressOf(stored));
      });
    const behind = parts.pop() ?? [];
    for (const writes of parts) await commit(writes, () => undefined);
    return commit(behind, last);
  }

  /** Its progress is the first that goes. */
  #ensureThere(generation: number) {
    const stored = this.#environment.progress.get(generation);
    if (stored === undefined)
      throw new ReadModelsUnavailable(`generation ${generation} of the read models is gone`);
    return stored;
  }

  #areParked(generation: number, { skipped = [] }: ProgressChanges): boolean {
    return skipped.every((stream) => this.#environment.broken.get([generation, stream]) !== undefined);
  }

  #change(generation: number, next: Progress, { park, unpark }: ProgressChanges): void {
    const { broken, progress } = this.#environment;
    if (unpark !== undefined) void broken.remove([generation, unpark]);
    if (park !== undefined) void broken.put([generation, park.stream], park);
    void progress.put(generation, { ...storedProgress(next), at: this.#shared.now() });
  }

  async *#find(
    collection: string,
    wantedIn: (generation: number) => Wanted,
  ): AsyncGenerator<readonly StoredDocument[]> {
    this.#shared.declared.of(collection);
    // The generation is that of the snapshot: nothing is awaited in between. What cannot be begun takes none.
    const [wanted, snapshot] = await this.#use(
      (generation) => [wantedIn(generation), this.#shared.snapshots.take()] as const,
    );
    yield* findBatches(snapshot, wanted);
  }

  /** `take` is given the store's own bytes, which are gone with the next. */
  #read<T>(collection: string, keys: readonly DocumentKey[], take: TakeRecord<T>): Promise<readonly T[]> {
    return this.#use((generation) => {
      this.#shared.declared.of(collection);
      const space = keySpace(generation, collection);
      return keys.map((key, place) => take(this.#environment.records.get(encodeKey(space, key)), place));
    });
  }

  protected checkOpen(): void {
    if (!this.#environment.isOpen()) throw new ReadModelsUnavailable('the read models are closed');
  }

  /** What is read in it is the newest, up to the first await. */
  async #use<T>(work: (generation: number) => Promise<T> | T): Promise<T> {
    this.checkOpen();
    return orUnavailable(() => {
      this.#environment.root.resetReadTxn();
      const generation = this.#fixed ?? this.#shared.live();
      if (generation === undefined) throw new ReadModelsBuilding();
      return work(generation);
    });
  }
}
