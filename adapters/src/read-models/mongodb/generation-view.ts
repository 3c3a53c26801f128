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
import { liveOf } from '../generation-rules.js';
import { areAsExpected, type ParkedOrLagging } from '../lagging.js';
import { changesOf } from './batch.js';
import type { Connection, Deadline } from './connection.js';
import { fetch, type GenerationCollections } from './documents.js';
import { findBatches } from './find.js';
import { encodeKey } from './keys.js';
import type { ViewContext } from './view-context.js';
import type { GenerationState, StateChange, StoreState } from './generation-registry.js';
import { writeChanges } from './write-changes.js';

/** So many streams do not break one by one: the program or the log is wrong, and the projector stops. */
const MAX_BROKEN = 20_000;

/** Reads and writes one generation, or whichever is live. */
export class GenerationView extends BaseView implements ReadModelReader, ReadModelWriter {
  protected readonly shared: ViewContext;
  /** Absent: the live one of the moment. */
  readonly #fixed: number | undefined;

  constructor(shared: ViewContext, fixed?: number) {
    super(shared);
    this.shared = shared;
    this.#fixed = fixed;
  }

  get(collection: string, key: DocumentKey): Promise<Uint8Array | undefined> {
    return this.connection.read(async (deadline) => {
      const documents = (await this.#collections(deadline)).documents(collection);
      const filter = { _id: encodeKey(key) };
      const found = await deadline.step((maxTimeMS) => documents.findOne(filter, { maxTimeMS }));
      return found?.json;
    });
  }

  getMany(collection: string, keys: readonly DocumentKey[]): Promise<readonly (Uint8Array | undefined)[]> {
    return this.connection.read(async (deadline) => {
      const documents = (await this.#collections(deadline)).documents(collection);
      const ids = keys.map(encodeKey);
      const found = await fetch(documents, ids, deadline);
      return ids.map((id) => found.get(id)?.json);
    });
  }

  async *findBatches(collection: string, options: FindOptions): AsyncGenerator<readonly StoredDocument[]> {
    const collections = await this.connection.read((deadline) => this.#collections(deadline));
    yield* findBatches(this.connection, { collections, collection, options });
  }

  progress(): Promise<Progress> {
    return this.connection.read(async (deadline) => (await this.#state(deadline)).progress);
  }

  protected checkOpen(): void {
    this.connection.checkOpen();
  }

  protected apart(): Promise<readonly ParkedOrLagging[]> {
    return this.connection.read(async (deadline) => (await this.#state(deadline, { broken: true })).broken);
  }

  async readSnapshot(stream: string, stateVersion: number): Promise<StateSnapshot | undefined> {
    const number = await this.connection.read((deadline) => this.#known(deadline));
    return number === undefined ? undefined : this.shared.snapshots(number).read(stream, stateVersion);
  }

  async apply(
    expected: Progress,
    writes: readonly DocumentWrite[],
    next: Progress,
    streams: StreamChanges = {},
  ): Promise<boolean> {
    if (isEarlier(next, expected)) throw new Error('the progress of read models only grows');
    const changes = changesOf(writes, next).all();
    const done = await this.connection.write(async (deadline) => {
      const state = await this.#state(deadline, { broken: Object.keys(streams).length > 0 });
      const find = (wanted: string) => state.broken.find(({ stream }) => stream === wanted);
      if (!isSame(state.progress, expected) || !areAsExpected(streams, find)) return false;
      const broken = changedStreams(state, streams);
      await writeChanges(this.shared.collections(state.number), changes, deadline);
      return this.#change(state, { progress: next, ...(broken && { broken }) }, deadline);
    });
    if (done) this.watch.advanced(next.position);
    return done;
  }

  async writeSnapshot(snapshot: StateSnapshot): Promise<void> {
    const number = await this.connection.read((deadline) => this.#number(deadline));
    await this.shared.snapshots(number).write(snapshot);
  }

  protected get connection(): Connection {
    return this.shared.connection;
  }

  #change(state: GenerationState, change: StateChange, deadline: Deadline): Promise<boolean> {
    return this.shared.state.change(state, { ...change, at: this.shared.now() }, deadline);
  }

  async #known(deadline: Deadline): Promise<number | undefined> {
    if (this.#fixed !== undefined) return this.#fixed;
    return this.#live(await deadline.step(() => this.shared.live.once()));
  }

  #live({ known }: StoreState): number | undefined {
    return liveOf(known, this.shared.version)?.number;
  }

  async #number(deadline: Deadline): Promise<number> {
    return existing(await this.#known(deadline));
  }

  async #collections(deadline: Deadline): Promise<GenerationCollections> {
    return this.shared.collections(await this.#number(deadline));
  }

  async #state(deadline: Deadline, options: { broken?: boolean } = {}): Promise<GenerationState> {
    const store = await this.shared.state.read(deadline, options);
    this.shared.seen(store);
    const number = existing(this.#fixed ?? this.#live(store));
    const state = store.generations.get(number);
    if (state === undefined)
      throw new ReadModelsUnavailable(`generation ${number} of the read models is gone`);
    return state;
  }
}

function existing(number: number | undefined): number {
  if (number === undefined) throw new ReadModelsBuilding();
  return number;
}

const isSame = (a: Progress, b: Progress): boolean => a.position === b.position && a.parts === b.parts;

function isEarlier(a: Progress, b: Progress): boolean {
  if (a.position === b.position) return a.parts < b.parts;
  return b.position !== undefined && (a.position === undefined || a.position < b.position);
}

/** The streams that are set aside, where the change is to any of them. */
function changedStreams(
  { broken }: GenerationState,
  { setAside, resumed }: StreamChanges,
): readonly ParkedOrLagging[] | undefined {
  if (setAside === undefined && resumed === undefined) return undefined;
  const others = broken.filter(({ stream }) => stream !== setAside?.stream && stream !== resumed);
  if (setAside === undefined) return others;
  if (others.length >= MAX_BROKEN)
    throw new ReadModelsUnavailable(`more than ${MAX_BROKEN} streams cannot be projected`);
  return [...others, setAside];
}
