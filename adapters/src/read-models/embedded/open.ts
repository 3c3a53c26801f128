import {
  systemClock,
  type Clock,
  type CollectionDeclaration,
  ReadModelsUnavailable,
  type GenerationInfo,
  type ReadModelGeneration,
  type ReadModels,
} from '@rollcall/application/read';

import { usableFolder } from '../../lmdb-folder.js';
import { openEnvironment, orUnavailable, type Environment } from './environment.js';
import { SNAPSHOT_MS, Snapshots } from './snapshots.js';
import { GenerationView, type ViewOptions } from './generation-view.js';
import { Collections } from '../collections.js';
import { infosOf, nameOf, unfinishedOf, type OwnVersion } from '../generation-rules.js';
import {
  addGeneration,
  beginEmpty,
  dropUnfinished,
  knownGenerations,
  liveGeneration,
  makeLive,
  sweepGenerations,
} from './generations.js';

export interface EmbeddedReadModelsOptions {
  /** A folder of its own, created where missing; several processes of one host may share it. */
  readonly folder: string;
  /**
   * The version of the projections whose read models are meant. Absent, for stores of one's own and for tools: whichever
   * are newest, and in an empty store empty ones.
   */
  readonly projections?: string;
  /** What may be in it; all that the projector writes by default. */
  readonly collections?: readonly CollectionDeclaration[];
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
 * its last. What is over is dropped by whichever process has the store open then.
 * `ReadModelsUnavailable` where the folder cannot be used.
 */
export function openEmbeddedReadModels(options: EmbeddedReadModelsOptions): Promise<ReadModels> {
  return orUnavailable(async () => {
    const clock = options.clock ?? systemClock;
    const folder = await usableFolder(options.folder, {
      what: 'read models',
      unavailable: (message, cause) => new ReadModelsUnavailable(message, { cause }),
      mend: 'End all processes and delete the folder: read models are built again from the event log',
    });
    const environment = await openEnvironment(folder, options.sync ?? true);
    const version = options.projections;
    if (version === undefined) beginEmpty(environment, version, clock.now());
    const snapshots = new Snapshots(environment, options.snapshotMs ?? SNAPSHOT_MS);
    const now = () => clock.now();
    const collections = new Collections(options.collections);
    const pollMs = options.pollMs ?? POLL_MS;
    const shared = { environment, collections, version, snapshots, now, pollMs };
    const readModels = new EmbeddedReadModels(shared);
    await readModels.sweep();
    return readModels;
  });
}

interface Shared extends Omit<ViewOptions, 'generation' | 'hintName'> {
  readonly version: OwnVersion;
}

const hintNameOf = (environment: Environment, name: string): string =>
  `rollcall-read-models:${environment.folder}:${name}`;

class EmbeddedReadModels extends GenerationView implements ReadModels {
  readonly #shared: Shared;
  readonly #timer: NodeJS.Timeout;
  #closing: Promise<void> | undefined;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(shared: Shared) {
    const { environment, version } = shared;
    super({
      ...shared,
      generation: () => liveGeneration(environment, version),
      hintName: hintNameOf(environment, 'live'),
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
      const { version, now } = this.#shared;
      return this.#handleOf(await addGeneration(this.environment, version, now()));
    });
  }

  unfinishedGeneration(): Promise<ReadModelGeneration | undefined> {
    return orUnavailable(() => {
      const { version, now } = this.#shared;
      const found = unfinishedOf(knownGenerations(this.environment), version, now());
      return found && this.#handleOf(found.number);
    });
  }

  beginEmpty(): Promise<void> {
    const { version, now } = this.#shared;
    return orUnavailable(() => beginEmpty(this.environment, version, now()));
  }

  generations(): Promise<readonly GenerationInfo[]> {
    return orUnavailable(() => infosOf(knownGenerations(this.environment), this.#shared.version));
  }

  #handleOf(number: number): ReadModelGeneration {
    return new EmbeddedGeneration(this.#shared, number);
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

  constructor(shared: Shared, number: number) {
    super({
      ...shared,
      generation: () => number,
      hintName: hintNameOf(shared.environment, String(number)),
    });
    this.name = nameOf(number);
    this.#number = number;
    this.#now = shared.now;
  }

  switchTo(): Promise<void> {
    return orUnavailable(async () => {
      const there = await makeLive(this.environment, this.#number, this.#now());
      if (!there) throw new ReadModelsUnavailable(`${this.name} of the read models is gone`);
      this.watch.close();
    });
  }

  drop(): Promise<void> {
    this.watch.close();
    return orUnavailable(() => dropUnfinished(this.environment, this.#number));
  }
}
