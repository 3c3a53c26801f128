import {
  systemClock,
  ReadModelsUnavailable,
  type GenerationInfo,
  type ReadModelGeneration,
  type ReadModels,
} from '@rollcall/application';

import { Collections } from '../collections.js';
import { Connection } from './connection.js';
import { GenerationView } from './generation-view.js';
import { infosOf, nameOf, unfinishedOf } from '../generation-rules.js';
import type { StoreState } from './generation-registry.js';
import { dropGeneration, sweepGenerations } from './generations.js';
import type { MongodbReadModelsOptions } from './options.js';
import { ViewContext } from './view-context.js';

const POLL_MS = 25;
const READ_MS = 5_000;
const WRITE_MS = 30_000;
const SWEEP_MS = 10 * 60_000;

export async function openReadModels(options: MongodbReadModelsOptions): Promise<ReadModels> {
  const { url, commandStarted, clock = systemClock } = options;
  const { pollMs = POLL_MS, readMs = READ_MS, writeMs = WRITE_MS } = options;
  const connection = await Connection.open({ url, readMs, writeMs, commandStarted });
  try {
    const version = options.projections;
    const declared = new Collections(options.collections);
    const shared = new ViewContext(connection, { pollMs, now: () => clock.now(), version, declared });
    await connection.write((deadline) => shared.state.ensure(deadline));
    const readModels = new MongodbReadModels(shared);
    if (version === undefined) await readModels.beginEmpty();
    await readModels.sweep();
    return readModels;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

class MongodbReadModels extends GenerationView implements ReadModels {
  readonly #timer: NodeJS.Timeout;
  #closing: Promise<void> | undefined;

  constructor(shared: ViewContext) {
    super(shared);
    // A sweep that fails is tried again at the next one; what is left over costs room only.
    this.#timer = setInterval(() => void this.sweep().catch(() => undefined), SWEEP_MS);
    this.#timer.unref();
  }

  async sweep(): Promise<void> {
    const { connection, state, now } = this.shared;
    await sweepGenerations(connection, state, now());
  }

  async newGeneration(): Promise<ReadModelGeneration> {
    const { connection, state, now, version } = this.shared;
    return this.#handleOf(await connection.write((deadline) => state.add(version, now(), deadline)));
  }

  async unfinishedGeneration(): Promise<ReadModelGeneration | undefined> {
    const { known, generations } = await this.#read();
    // One whose noting was cut off has no progress.
    const whole = known.filter(({ number }) => generations.has(number));
    const found = unfinishedOf(whole, this.shared.version, this.shared.now());
    return found && this.#handleOf(found.number);
  }

  async beginEmpty(): Promise<void> {
    const { connection, state, now, version } = this.shared;
    await connection.write((deadline) => state.beginEmpty(version, now(), deadline));
  }

  async generations(): Promise<readonly GenerationInfo[]> {
    return infosOf((await this.#read()).known, this.shared.version);
  }

  #read(): Promise<StoreState> {
    const { connection, state } = this.shared;
    return connection.read((deadline) => state.read(deadline));
  }

  #handleOf(number: number): ReadModelGeneration {
    return new MongodbGeneration(this.shared, number);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer);
    this.watch.close();
    await this.connection.close();
  }
}

class MongodbGeneration extends GenerationView implements ReadModelGeneration {
  readonly name: string;
  readonly #number: number;

  constructor(shared: ViewContext, number: number) {
    super(shared, number);
    this.name = nameOf(number);
    this.#number = number;
  }

  async switchTo(): Promise<void> {
    const { connection, state, now } = this.shared;
    const there = await connection.write((deadline) => state.makeLive(this.#number, now(), deadline));
    if (!there) throw new ReadModelsUnavailable(`${this.name} of the read models is gone`);
    this.watch.close();
  }

  /** Throws it away, unless it is complete by now. */
  async drop(): Promise<void> {
    this.watch.close();
    await dropGeneration(this.connection, this.shared.state, { number: this.#number, since: null });
  }
}
