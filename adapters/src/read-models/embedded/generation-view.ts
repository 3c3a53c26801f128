import {
  ReadModelsBuilding,
  ReadModelsUnavailable,
  type DocumentKey,
  type DocumentWrite,
  type FindOptions,
  type Progress,
  type ReadModelReader,
  type ReadModelWriter,
  type StateSnapshot,
  type StreamChanges,
  type StoredDocument,
} from '@rollcall/application';

import { BaseView } from '../base-view.js';
import { areAsExpected, type ParkedOrLagging } from '../lagging.js';
import { prepareWrites, type PreparedWrite } from './documents.js';
import { fromStored, orUnavailable, type Environment, type StoredProgress } from './environment.js';
import { findBatches, type Snapshots } from './find.js';
import { encodeKey, keySpace } from './keys.js';
import { readSnapshot, writeSnapshot } from './state-snapshots.js';

export interface ViewOptions {
  readonly environment: Environment;
  readonly snapshots: Snapshots;
  /** Which generation is meant: fixed, or the live one of this moment, where there is one. */
  readonly generation: () => number | undefined;
  readonly now: () => number;
  readonly pollMs: number;
  readonly hintName: string;
}

interface Guard {
  readonly generation: number;
  readonly version: number;
}

interface Changed {
  readonly next: Progress;
  readonly streams: StreamChanges;
}

const NOTHING: Progress = { position: undefined, parts: 0 };

/** Reads and writes one generation, or whichever is live. */
export class GenerationView extends BaseView implements ReadModelReader, ReadModelWriter {
  protected readonly environment: Environment;
  readonly #options: ViewOptions;

  constructor(options: ViewOptions) {
    super(options);
    this.#options = options;
    this.environment = options.environment;
  }

  get(collection: string, key: DocumentKey): Promise<Uint8Array | undefined> {
    return this.#use(() => {
      const view = this.environment.documents.get(encodeKey(keySpace(this.#generation(), collection), key));
      return view && Buffer.from(view);
    });
  }

  getMany(collection: string, keys: readonly DocumentKey[]): Promise<readonly (Uint8Array | undefined)[]> {
    return this.#use(() => {
      const space = keySpace(this.#generation(), collection);
      return keys.map((key) => {
        const view = this.environment.documents.get(encodeKey(space, key));
        return view && Buffer.from(view);
      });
    });
  }

  async *findBatches(collection: string, options: FindOptions): AsyncGenerator<readonly StoredDocument[]> {
    // Both from one LMDB snapshot: nothing is awaited in between.
    const { snapshot, generation } = await this.#use(() => ({
      snapshot: this.#options.snapshots.take(),
      generation: this.#generation(),
    }));
    yield* findBatches(this.environment, snapshot, { generation, collection, options });
  }

  progress(): Promise<Progress> {
    return this.#use(() => this.#freshProgress() ?? NOTHING);
  }

  protected apart(): Promise<readonly ParkedOrLagging[]> {
    return this.#use(() => {
      const generation = this.#generation();
      this.environment.root.resetReadTxn();
      const range = this.environment.broken.getRange({ start: [generation], end: [generation + 1] });
      return [...range].map(({ value }) => value);
    });
  }

  readSnapshot(stream: string, stateVersion: number): Promise<StateSnapshot | undefined> {
    return this.#use(() => {
      const generation = this.#options.generation();
      if (generation === undefined) return undefined;
      return readSnapshot(this.environment, generation, { stream, stateVersion });
    });
  }

  apply(
    expected: Progress,
    writes: readonly DocumentWrite[],
    next: Progress,
    streams: StreamChanges = {},
  ): Promise<boolean> {
    return this.#use(async () => {
      const guard = this.#guard(expected);
      if (guard === undefined || !this.#areAsExpected(guard, streams)) return false;
      const prepared = prepareWrites(this.environment, guard.generation, writes);
      const done = await this.#write(guard, prepared, { next, streams });
      if (done) this.watch.advanced(next.position);
      return done;
    });
  }

  writeSnapshot(snapshot: StateSnapshot): Promise<void> {
    return this.#use(() => writeSnapshot(this.environment, this.#generation(), snapshot));
  }

  /** What every change is conditional on: the version of the progress, while that is `expected`. */
  #guard(expected: Progress): Guard | undefined {
    this.environment.root.resetReadTxn();
    const generation = this.#generation();
    const entry = this.environment.progress.getEntry(generation);
    if (entry === undefined)
      throw new ReadModelsUnavailable(`generation ${generation} of the read models is gone`);
    return isSame(entry.value, expected) ? { generation, version: entry.version ?? 0 } : undefined;
  }

  /** Every change of a stream grows the version of the progress, so that the guard holds for this as well. */
  #areAsExpected({ generation }: Guard, streams: StreamChanges): boolean {
    return areAsExpected(streams, (stream) => this.environment.broken.get([generation, stream]));
  }

  /** All writes or none, on the store's own thread, and none where the progress has another version by then. */
  #write(guard: Guard, writes: readonly PreparedWrite[], { next, streams }: Changed): Promise<boolean> {
    const { documents, progress } = this.environment;
    return progress.ifVersion(guard.generation, guard.version, () => {
      for (const { key, json } of writes) {
        if (json === undefined) void documents.remove(key);
        else void documents.put(key, json);
      }
      this.#changeStreams(guard, streams);
      void progress.put(guard.generation, { ...toStored(next), at: this.#options.now() }, guard.version + 1);
    });
  }

  #changeStreams({ generation }: Guard, { setAside, resumed }: StreamChanges): void {
    const { broken } = this.environment;
    if (setAside !== undefined) void broken.put([generation, setAside.stream], setAside);
    if (resumed !== undefined) void broken.remove([generation, resumed]);
  }

  protected checkOpen(): void {
    if (!this.environment.isOpen()) throw new ReadModelsUnavailable('the read models are closed');
  }

  async #use<T>(work: () => Promise<T> | T): Promise<T> {
    this.checkOpen();
    return orUnavailable(work);
  }

  #generation(): number {
    const generation = this.#options.generation();
    if (generation === undefined) throw new ReadModelsBuilding();
    return generation;
  }

  #freshProgress(): Progress | undefined {
    this.environment.root.resetReadTxn();
    const stored = this.environment.progress.get(this.#generation());
    return stored && fromStored(stored);
  }
}

const toStored = (progress: Progress): StoredProgress => ({
  position: progress.position === undefined ? null : progress.position.toString(),
  parts: progress.parts,
  ...(progress.last && { last: progress.last }),
});

function isSame(stored: StoredProgress, expected: Progress): boolean {
  const { position, parts } = toStored(expected);
  return stored.position === position && stored.parts === parts;
}
