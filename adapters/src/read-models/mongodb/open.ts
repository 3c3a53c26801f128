import {
  systemClock,
  ReadModelsUnavailable,
  type GenerationInfo,
  type ReadModelGeneration,
  type ReadModels,
} from '@rollcall/application';

import { Connection } from './connection.js';
import { GenerationView } from './generation-view.js';
import { dropGeneration, generationInfos, sweepGenerations } from './generations.js';
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
    const shared = new ViewContext(connection, pollMs, () => clock.now());
    await connection.write((deadline) => shared.state.ensure(clock.now(), deadline));
    const readModels = new MongodbReadModels(shared);
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
    const { connection, state, live, now } = this.shared;
    await sweepGenerations(connection, state, now());
    await this.shared.snapshots((await live.once()).live).sweep();
  }

  async newGeneration(): Promise<ReadModelGeneration> {
    const { connection, state, now } = this.shared;
    const number = await connection.write((deadline) => state.add(now(), deadline));
    return new MongodbGeneration(this.shared, number, () => this.watch.forget());
  }

  async generations(): Promise<readonly GenerationInfo[]> {
    const { connection, state } = this.shared;
    return generationInfos(await connection.read((deadline) => state.read(deadline)));
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
  readonly #switched: () => void;

  constructor(shared: ViewContext, number: number, switched: () => void) {
    super(shared, number);
    this.name = `generation-${number}`;
    this.#number = number;
    this.#switched = switched;
  }

  async switchTo(): Promise<void> {
    const { connection, state, now } = this.shared;
    const there = await connection.write((deadline) => state.makeLive(this.#number, now(), deadline));
    if (!there) throw new ReadModelsUnavailable(`${this.name} of the read models is gone`);
    this.watch.close();
    this.#switched();
  }

  /** Throws it away, unless it is the one that everybody reads by now. */
  async drop(): Promise<void> {
    this.watch.close();
    await dropGeneration(this.connection, this.shared.state, this.#number);
  }
}
