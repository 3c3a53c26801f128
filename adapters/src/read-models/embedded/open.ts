import {
  systemClock,
  type Clock,
  ReadModelsUnavailable,
  type GenerationInfo,
  type Position,
  type ReadModelGeneration,
  type ReadModels,
} from '@rollcall/application/read';

import { openEnvironment, orUnavailable, type Environment } from './environment.js';
import { SNAPSHOT_MS, Snapshots } from './find.js';
import { GenerationView, type ViewOptions } from './generation-view.js';
import {
  addGeneration,
  dropGeneration,
  ensureLive,
  liveGeneration,
  makeLive,
  sweepGenerations,
} from './generations.js';

export interface EmbeddedReadModelsOptions {
  /** A folder of its own, created where missing; several processes of one host may share it. */
  readonly folder: string;
  /** False only for benchmarks and for stores that are thrown away: commits are not synced. */
  readonly sync?: boolean;
  /** How often the progress of another process is looked for while somebody waits (ms, 20 by default). */
  readonly pollMs?: number;
  readonly clock?: Clock;
  /** How long one `find` may hold its snapshot (ms, 10 minutes by default). */
  readonly snapshotMs?: number;
}

const POLL_MS = 20;
const SWEEP_MS = 10 * 60_000;

/**
 * The read-model store on LMDB, in an environment of its own. Every `find` sees one snapshot from its first document to
 * its last. A retired generation is dropped an hour later, by whichever process has the store open then.
 * `ReadModelsUnavailable` where the folder cannot be used.
 */
export function openEmbeddedReadModels(options: EmbeddedReadModelsOptions): Promise<ReadModels> {
  return orUnavailable(async () => {
    const clock = options.clock ?? systemClock;
    const environment = openEnvironment(options.folder, options.sync ?? true);
    ensureLive(environment, clock.now());
    const snapshots = new Snapshots(environment, options.snapshotMs ?? SNAPSHOT_MS);
    const shared = { environment, snapshots, now: () => clock.now(), pollMs: options.pollMs ?? POLL_MS };
    const readModels = new EmbeddedReadModels(shared);
    await readModels.sweep();
    return readModels;
  });
}

type Shared = Omit<ViewOptions, 'generation' | 'channel' | 'heartbeat'>;

const channelOf = (environment: Environment, name: string): string =>
  `rollcall-read-models:${environment.folder}:${name}`;

function positionIn({ progress }: Environment, number: number): Position | undefined {
  const position = progress.get(number)?.position ?? undefined;
  return position === undefined ? undefined : BigInt(position);
}

const nameOf = (number: number): string => `generation-${number}`;

class EmbeddedReadModels extends GenerationView implements ReadModels {
  readonly #shared: Shared;
  readonly #timer: NodeJS.Timeout;
  #closing: Promise<void> | undefined;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(shared: Shared) {
    const { environment } = shared;
    super({
      ...shared,
      generation: () => liveGeneration(environment),
      channel: channelOf(environment, 'live'),
      heartbeat: false,
    });
    this.#shared = shared;
    // A sweep that fails is tried again at the next one; what is left over costs room only.
    this.#timer = setInterval(() => void this.sweep().catch(() => undefined), SWEEP_MS);
    this.#timer.unref();
  }

  sweep(): Promise<void> {
    this.#sweeping = sweepGenerations(this.environment, this.#shared.now());
    return this.#sweeping;
  }

  newGeneration(): Promise<ReadModelGeneration> {
    return orUnavailable(async () => {
      const number = await addGeneration(this.environment, this.#shared.now());
      return new EmbeddedGeneration(this.#shared, number, () => this.watch.forget());
    });
  }

  generations(): Promise<readonly GenerationInfo[]> {
    return orUnavailable(() =>
      Promise.resolve(
        [...this.environment.generations.getRange()].map(({ key, value }) => ({
          name: nameOf(key),
          ...value,
          position: positionIn(this.environment, key),
        })),
      ),
    );
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer);
    this.watch.close();
    await this.#sweeping.catch(() => undefined);
    this.#shared.snapshots.releaseAll();
    await this.environment.close();
  }
}

class EmbeddedGeneration extends GenerationView implements ReadModelGeneration {
  readonly name: string;
  readonly #number: number;
  readonly #now: () => number;
  readonly #switched: () => void;

  constructor(shared: Shared, number: number, switched: () => void) {
    super({
      ...shared,
      generation: () => number,
      channel: channelOf(shared.environment, String(number)),
      heartbeat: true,
    });
    this.name = nameOf(number);
    this.#number = number;
    this.#now = shared.now;
    this.#switched = switched;
  }

  switchTo(): Promise<void> {
    return orUnavailable(async () => {
      const there = await makeLive(this.environment, this.#number, this.#now());
      if (!there) throw new ReadModelsUnavailable(`${this.name} of the read models is gone`);
      this.watch.close();
      this.#switched();
    });
  }

  drop(): Promise<void> {
    this.watch.close();
    return orUnavailable(() => dropGeneration(this.environment, this.#number));
  }
}
