import {
  GenerationReplaced,
  movedProgress,
  ReadModelsUnavailable,
  sharesOf,
  withShares,
  type DocumentKey,
  type DocumentWrite,
  type NewestDocument,
  type Progress,
  type ProgressChanges,
  type ReadModelWriter,
  type Share,
} from '@rollcall/application';

import { ensureForward } from '../base-view.js';
import { progressOf, storedProgress } from '../generation-rules.js';
import type { CollectionCopier } from '../whole-store.js';
import {
  copiedWrites,
  inTransactions,
  prepareWrites,
  writeDocuments,
  type PreparedWrite,
} from './write-documents.js';
import type { EmbeddedGenerations } from './generations.js';
import { LiveView } from './live-view.js';
import { RecordMaker, revisionIn, valueIn } from './records.js';

export class GenerationView extends LiveView implements ReadModelWriter, CollectionCopier {
  readonly #number: number;
  readonly #builder: string | undefined;
  readonly #maker = new RecordMaker();

  /** With `builder`: writable while that builder holds the claim. */
  constructor(shared: EmbeddedGenerations, number: number, builder?: string) {
    super(shared);
    this.#number = number;
    this.#builder = builder;
  }

  newest(collection: string, keys: readonly DocumentKey[]): Promise<readonly (NewestDocument | undefined)[]> {
    return this.use((generation) => {
      this.#ensureNotReplaced();
      return this.recordsOf({ generation, collection }, keys, (record) => {
        const value = record && valueIn(record);
        return record && { revision: revisionIn(record), value: value && Buffer.from(value) };
      });
    });
  }

  ensureLive(): Promise<void> {
    return this.use(() => this.#ensureNotReplaced());
  }

  write(stages: readonly (readonly DocumentWrite[])[]): Promise<void> {
    return this.use(async () => {
      await this.#write(stages, () => undefined);
      this.written(stages);
    });
  }

  async advance(expected: Progress, next: Progress, changes: ProgressChanges = {}): Promise<boolean> {
    ensureForward(expected, next);
    const { documents = [], holder } = changes;
    return this.use(async () => {
      const moved = await this.#write(documents, (stored) => {
        const progress = movedProgress(stored, { expected, next, holder });
        if (progress !== undefined && this.#areParked(changes)) return this.#change(progress, changes);
        return undefined;
      });
      this.written(documents, moved?.position);
      return moved !== undefined;
    });
  }

  share(change: (shares: readonly Share[]) => readonly Share[]): Promise<Progress> {
    return this.use(() =>
      this.#write([], (stored) => this.#change(withShares(stored, change(sharesOf(stored))), {})),
    );
  }

  copy(from: number, collection: string, signal: AbortSignal): Promise<void> {
    return this.use(async (to) => {
      for (const writes of copiedWrites(this.environment, this.shared.declared, { collection, from, to })) {
        signal.throwIfAborted();
        await this.#commit(writes, () => undefined);
      }
    });
  }

  /** `last` runs in the last transaction. */
  async #write<T>(
    stages: readonly (readonly DocumentWrite[])[],
    last: (progress: Progress) => T,
  ): Promise<T> {
    const parts = [...inTransactions(prepareWrites(this.shared.declared, this.#number, stages))];
    const behind = parts.pop() ?? [];
    for (const writes of parts) await this.#commit(writes, () => undefined);
    return this.#commit(behind, last);
  }

  #commit<T>(writes: readonly PreparedWrite[], then: (progress: Progress) => T): Promise<T> {
    return this.environment.write(() => {
      const stored = this.#ensureWritable();
      writeDocuments(this.environment, this.#maker, writes);
      return then(progressOf(stored));
    });
  }

  /** Call it in the write transaction. A dropped generation loses its progress first. */
  #ensureWritable() {
    const stored = this.environment.progress.get(this.#number);
    if (stored === undefined)
      throw new ReadModelsUnavailable(`generation ${this.#number} of the read models is gone`);
    this.#ensureNotReplaced();
    if (this.#builder !== undefined && this.shared.isOfAnother(this.#number, this.#builder))
      throw GenerationReplaced.byBuilder();
    return stored;
  }

  #ensureNotReplaced(): void {
    if ((this.shared.live() ?? 0) > this.#number) throw new GenerationReplaced();
  }

  #areParked({ skipped = [] }: ProgressChanges): boolean {
    return skipped.every((stream) => this.environment.parked.get([this.#number, stream]) !== undefined);
  }

  #change(next: Progress, { park = [], unpark }: ProgressChanges): Progress {
    const { parked, progress } = this.environment;
    if (unpark !== undefined) void parked.remove([this.#number, unpark]);
    for (const one of park) void parked.put([this.#number, one.stream], one);
    void progress.put(this.#number, { ...storedProgress(next), at: this.shared.now() });
    return next;
  }

  protected override generation(): number {
    return this.#number;
  }
}
