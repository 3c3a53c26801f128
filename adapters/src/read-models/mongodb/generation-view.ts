import {
  GenerationReplaced,
  movedProgress,
  ReadModelsUnavailable,
  sharesOf,
  withShares,
  type DocumentKey,
  type DocumentWrite,
  type NewestDocument,
  type ParkedStream,
  type Progress,
  type ProgressChanges,
  type ReadModelWriter,
  type Share,
} from '@rollcall/application';

import { ensureForward } from '../base-view.js';
import { liveOf, progressOf } from '../generation-rules.js';
import type { CollectionCopier } from '../whole-store.js';
import type { Deadline } from './connection.js';
import { fetchNewest } from './documents.js';
import { allRecords } from './find.js';
import { encodeKey } from './keys.js';
import type { MongodbGenerations } from './generations.js';
import type { GenerationDocument, StoreState } from './generation-registry.js';
import { LiveView, type ReadOptions } from './live-view.js';
import {
  deleteRecords,
  deletingInTurns,
  prepareStage,
  writeRecords,
  type PreparedStage,
} from './write-documents.js';

/** More parked streams mean a wrong program or log: the projector stops. */
const maxParkedStreams = 20_000;

export class GenerationView extends LiveView implements ReadModelWriter, CollectionCopier {
  readonly #number: number;
  readonly #builder: string | undefined;

  /** With `builder`: writable while that builder holds the claim. */
  constructor(shared: MongodbGenerations, number: number, builder?: string) {
    super(shared);
    this.#number = number;
    this.#builder = builder;
  }

  async newest(
    collection: string,
    keys: readonly DocumentKey[],
  ): Promise<readonly (NewestDocument | undefined)[]> {
    const ids = keys.map(encodeKey);
    const documents = this.shared.collections.of(this.#number, collection);
    const [found] = await Promise.all([
      this.connection.read((deadline) => fetchNewest(documents, ids, deadline)),
      this.ensureLive(),
    ]);
    return ids
      .map((id) => found.get(id))
      .map((record) => record && { revision: record.revision, value: record.value });
  }

  async ensureLive(): Promise<void> {
    this.#ensureNotReplaced(await this.shared.state.once());
  }

  async write(stages: readonly (readonly DocumentWrite[])[]): Promise<void> {
    const prepared = stages
      .flatMap(deletingInTurns)
      .map((writes) => prepareStage(this.shared.declared, writes));
    await this.connection.read((deadline) => this.#writable(deadline));
    for (const stage of prepared)
      await this.connection.write((deadline) => this.#writeStage(stage, deadline));
    this.written(stages);
  }

  async copy(from: number, collection: string, signal: AbortSignal): Promise<void> {
    const { collections } = this.shared;
    for await (const records of allRecords(this.connection, collections.of(from, collection))) {
      signal.throwIfAborted();
      await this.connection.write(async (deadline) => {
        await this.#writable(deadline);
        const documents = await collections.ensured(this.#number, collection, deadline);
        await writeRecords(documents, records, deadline);
      });
    }
  }

  async #writeStage(stage: PreparedStage, deadline: Deadline): Promise<void> {
    const { collections } = this.shared;
    const writing = [...stage].map(async ([name, { records, deleted }]) => {
      const documents = await collections.ensured(this.#number, name, deadline);
      if (records.length > 0) await writeRecords(documents, records, deadline);
      await deleteRecords(documents, deleted, deadline);
    });
    await Promise.all(writing);
  }

  async advance(expected: Progress, next: Progress, changes: ProgressChanges = {}): Promise<boolean> {
    ensureForward(expected, next);
    const { documents, holder, ...streams } = changes;
    if (documents !== undefined) await this.write(documents);
    const moved = await this.#change(streams, (state) =>
      areParked(state, streams) ? movedProgress(progressOf(state), { expected, next, holder }) : undefined,
    );
    if (moved !== undefined) this.written([], moved.position);
    return moved !== undefined;
  }

  share(change: (shares: readonly Share[]) => readonly Share[]): Promise<Progress> {
    return this.#change({}, (state) => {
      const progress = progressOf(state);
      return withShares(progress, change(sharesOf(progress)));
    });
  }

  /** Conditional on the state's revision, which every change and the switch move. Undefined where there is nothing to change. */
  #change<P extends Progress | undefined>(
    streams: Omit<ProgressChanges, 'documents' | 'holder'>,
    progressIn: (state: GenerationDocument) => P,
  ): Promise<P> {
    const broken = Object.keys(streams).length > 0;
    return this.connection.write(async (deadline) => {
      for (;;) {
        const state = await this.#writable(deadline, { broken });
        const progress = progressIn(state);
        if (progress === undefined) return progress;
        const change = { progress, broken: changedStreams(state, streams), at: this.shared.now() };
        if (await this.shared.registry.change(state, change, deadline)) return progress;
      }
    });
  }

  async #writable(deadline: Deadline, options: ReadOptions = {}): Promise<GenerationDocument> {
    const store = await this.storeState(deadline, options);
    const state = this.stateIn(store);
    this.#ensureNotReplaced(store);
    if (this.#builder !== undefined && this.shared.isOfAnother(store, this.#number, this.#builder))
      throw GenerationReplaced.byBuilder();
    return state;
  }

  #ensureNotReplaced({ known }: StoreState): void {
    if ((liveOf(known, this.shared.version)?.number ?? 0) > this.#number) throw new GenerationReplaced();
  }

  protected override generation(): number {
    return this.#number;
  }
}

const areParked = ({ broken = [] }: GenerationDocument, { skipped = [] }: ProgressChanges): boolean =>
  skipped.every((wanted) => broken.some(({ stream }) => stream === wanted));

function changedStreams(
  { broken = [] }: GenerationDocument,
  { park = [], unpark }: ProgressChanges,
): readonly ParkedStream[] | undefined {
  if (park.length === 0 && unpark === undefined) return undefined;
  const byStream = new Map([...broken, ...park].map((parked) => [parked.stream, parked]));
  if (unpark !== undefined) byStream.delete(unpark);
  if (park.length > 0 && byStream.size > maxParkedStreams)
    throw new ReadModelsUnavailable(`more than ${maxParkedStreams} streams cannot be projected`);
  return [...byStream.values()];
}
