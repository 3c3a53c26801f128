import {
  everyByTimer,
  ReadModelsUnavailable,
  systemClock,
  type Clock,
  type CollectionDeclaration,
  type ReadModelGeneration,
  type ReadModelReader,
  type ReadModels,
  type ReadModelWriter,
} from '@rollcall/application';
import type { BaseView } from './base-view.js';
import { Collections } from './collections.js';
import { infosOf, nameOf, type KnownGeneration, type OwnVersion } from './generation-rules.js';

/** What either store may be opened with. */
export interface WholeStoreOptions {
  /**
   * The version of the projections whose read models are meant. Absent, for stores of one's own and for tools: whichever
   * are newest, and in an empty store empty ones.
   */
  readonly projections?: string;
  /** What may be in it; all that the projector writes by default. */
  readonly collections?: readonly CollectionDeclaration[];
  readonly clock?: Clock;
  /** How often the progress of another process is looked for while somebody waits (ms, by default some 20). */
  readonly pollMs?: number;
}

/** What either store does to its generations, and what these and their views share; all that fails in it is `ReadModelsUnavailable`. */
export abstract class GenerationStore {
  /** Which the process reads. */
  readonly version: OwnVersion;
  readonly declared: Collections;
  readonly pollMs: number;
  readonly now: () => number;

  constructor({ projections, collections, clock = systemClock }: WholeStoreOptions, pollMs: number) {
    this.version = projections;
    this.declared = new Collections(collections);
    this.pollMs = pollMs;
    this.now = () => clock.now();
  }

  /** All that there are. */
  abstract known(): Promise<readonly KnownGeneration[]>;
  /** The newest one that is to be gone on with. */
  abstract unfinished(): Promise<number | undefined>;
  /** The number of a new, empty one. */
  abstract add(): Promise<number>;
  /** The first one, complete at once, where there was never any. */
  abstract beginEmpty(): Promise<void>;
  /** From now on it may be read; false where it is gone. */
  abstract complete(number: number): Promise<boolean>;
  /** Removes everything of it, unless it is complete by now. */
  abstract dropUnfinished(number: number): Promise<void>;
  /** Drops what nobody reads any more. */
  abstract sweep(): Promise<void>;
  abstract close(): Promise<void>;
}

type View = BaseView & ReadModelReader & ReadModelWriter;

const SWEEP_MS = 10 * 60_000;

/** The read models of a store: `viewOf` gives what reads and writes one generation, or, without a number, whichever is live. */
export async function openWhole(
  viewOf: (generation?: number) => View,
  store: GenerationStore,
): Promise<ReadModels> {
  if (store.version === undefined) await store.beginEmpty();
  await store.sweep();
  // One that fails is made again at the next turn; what is left over costs room only.
  const stop = everyByTimer(SWEEP_MS, () => store.sweep().catch(() => undefined));
  const handleOf = (number: number) => generationOf(viewOf(number), store, number);
  const live = viewOf();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    stop();
    live.stopWaiting();
    return store.close();
  };
  return Object.assign(live, {
    newGeneration: async () => handleOf(await store.add()),
    unfinishedGeneration: async () => {
      const number = await store.unfinished();
      return number === undefined ? undefined : handleOf(number);
    },
    beginEmpty: () => store.beginEmpty(),
    generations: async () => infosOf(await store.known(), store.version),
    close: () => (closing ??= close()),
  });
}

function generationOf(view: View, store: GenerationStore, number: number): ReadModelGeneration {
  const name = nameOf(number);
  return Object.assign(view, {
    name,
    switchTo: async () => {
      if (!(await store.complete(number)))
        throw new ReadModelsUnavailable(`${name} of the read models is gone`);
      view.stopWaiting();
    },
    drop: async () => {
      view.stopWaiting();
      await store.dropUnfinished(number);
    },
  });
}
