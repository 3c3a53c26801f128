import { randomUUID } from 'node:crypto';
import {
  everyByTimer,
  GenerationReplaced,
  ReadModelsBuilding,
  ReadModelsUnavailable,
  systemClock,
  type BuildTurn,
  type Clock,
  type CollectionDeclaration,
  type CopySource,
  type LiveGeneration,
  type ReadModelGeneration,
  type ReadModelReader,
  type ReadModels,
} from '@rollcall/application';
import type { BaseView } from './base-view.js';
import {
  Collections,
  copySourceOf,
  infosOf,
  nameOf,
  unchangedIn,
  unfinishedOf,
  type KnownGeneration,
  type OwnVersion,
} from './generation-rules.js';

export interface WholeStoreOptions {
  /** The version of the projections; absent, for tools: the newest, and in an empty store an empty one. */
  readonly projections?: string;
  /** By default all that the projector writes. */
  readonly collections?: readonly CollectionDeclaration[];
  readonly clock?: Clock;
  readonly pollMs?: number;
}

export type ClaimedNumber =
  Exclude<BuildTurn, { kind: 'claimed' }> | { readonly kind: 'claimed'; readonly number: number };

/** Each store's operations on generations. Every failure is `ReadModelsUnavailable`. */
export abstract class GenerationStore {
  readonly version: OwnVersion;
  readonly declared: Collections;
  readonly pollMs: number;
  readonly hintName: string;
  readonly now: () => number;

  constructor(
    { projections, collections, clock = systemClock }: WholeStoreOptions,
    watch: Pick<GenerationStore, 'pollMs' | 'hintName'>,
  ) {
    this.version = projections;
    this.declared = new Collections(collections);
    this.pollMs = watch.pollMs;
    this.hintName = watch.hintName;
    this.now = () => clock.now();
  }

  abstract liveNumber(): Promise<number | undefined>;
  abstract known(): Promise<readonly KnownGeneration[]>;
  abstract add(builder: string): Promise<number>;
  abstract claim(builder: string, lapsed: string | undefined): Promise<ClaimedNumber>;
  /** False where the builder has lost its claim. */
  abstract renew(number: number, builder: string): Promise<boolean>;
  abstract release(number: number, builder: string): Promise<void>;
  /** The first one, complete at once, if there was never any. */
  abstract beginEmpty(): Promise<void>;
  /** False where it is gone. `GenerationReplaced` where another builds it. */
  abstract complete(number: number, builder: string): Promise<boolean>;
  /** Unless it is complete by now, or another builds it. */
  abstract dropUnfinished(number: number, builder: string): Promise<void>;
  abstract sweep(): Promise<void>;
  abstract close(): Promise<void>;
}

type Live = BaseView & ReadModelReader;

export interface CollectionCopier {
  copy(from: number, collection: string, signal: AbortSignal): Promise<void>;
}

type ViewOf = (generation: number, builder?: string) => BaseView & LiveGeneration & CollectionCopier;

const SWEEP_MS = 10 * 60_000;

/** `live` reads the live generation; `viewOf` reads and writes one. */
export async function openWhole(live: Live, viewOf: ViewOf, store: GenerationStore): Promise<ReadModels> {
  if (store.version === undefined) await store.beginEmpty();
  // Repeated at the next turn; leftovers cost space only.
  const sweep = (): Promise<void> => store.sweep().catch(() => undefined);
  await sweep();
  const stop = everyByTimer(SWEEP_MS, sweep);
  const handleOf = (number: number, builder: string) => generationOf(viewOf, store, { number, builder });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    stop();
    live.stopWaiting();
    return store.close();
  };
  return Object.assign(live, {
    liveGeneration: async () => {
      const number = await store.liveNumber();
      if (number === undefined) throw new ReadModelsBuilding();
      return viewOf(number);
    },
    unfinishedGeneration: async () => {
      const one = unfinishedOf(await store.known(), store.version, store.now());
      return one && Object.assign(viewOf(one.number), { name: nameOf(one.number), claim: one.claim });
    },
    newGeneration: async () => {
      const builder = randomUUID();
      return handleOf(await store.add(builder), builder);
    },
    claimBuild: async (builder: string, lapsed?: string): Promise<BuildTurn> => {
      const turn = await store.claim(builder, lapsed);
      return turn.kind === 'claimed' ? { ...turn, generation: handleOf(turn.number, builder) } : turn;
    },
    beginEmpty: () => store.beginEmpty(),
    generations: async () => infosOf(await store.known(), store.version),
    close: () => (closing ??= close()),
  });
}

function generationOf(
  viewOf: ViewOf,
  store: GenerationStore,
  { number, builder }: { readonly number: number; readonly builder: string },
): ReadModelGeneration {
  const view = viewOf(number, builder);
  const name = nameOf(number);
  return Object.assign(view, {
    name,
    copySource: async (): Promise<CopySource | undefined> => {
      const source = copySourceOf(await store.known(), store.version);
      if (source === undefined) return undefined;
      return {
        unchanged: unchangedIn(source.version, store.version),
        readModels: viewOf(source.number),
        copy: (collection, signal) => view.copy(source.number, collection, signal),
      };
    },
    renewClaim: async () => {
      if (!(await store.renew(number, builder))) throw GenerationReplaced.byBuilder();
    },
    releaseClaim: () => store.release(number, builder),
    switchTo: async () => {
      if (!(await store.complete(number, builder)))
        throw new ReadModelsUnavailable(`${name} of the read models is gone`);
      view.stopWaiting();
    },
    drop: async () => {
      view.stopWaiting();
      await store.dropUnfinished(number, builder);
    },
  });
}
