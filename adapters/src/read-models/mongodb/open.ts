import type { ReadModels } from '@rollcall/application';
import type { CommandStartedEvent } from 'mongodb';

import { openWhole, type WholeStoreOptions } from '../whole-store.js';
import { Connection } from './connection.js';
import { GenerationView } from './generation-view.js';
import { MongodbGenerations } from './generations.js';
import { LiveView } from './live-view.js';

export interface MongodbReadModelsOptions extends WholeStoreOptions {
  /** Its path names the database (default `rollcall`), which nobody else may use; TLS and credentials are options. */
  readonly url: string;
  readonly readMs?: number;
  /** Includes the wait for the majority. */
  readonly writeMs?: number;
  readonly poolSize?: number;
  readonly commandStarted?: (event: CommandStartedEvent) => void;
}

const READ_MS = 5_000;
const WRITE_MS = 30_000;

/** Single-document writes (docs/read-models.md, "MongoDB"). `ReadModelsUnavailable` without a primary; `ConfigInvalid`. */
export async function openMongodbReadModels(options: MongodbReadModelsOptions): Promise<ReadModels> {
  const { url, commandStarted, poolSize, readMs = READ_MS, writeMs = WRITE_MS } = options;
  const connection = await Connection.open({ url, readMs, writeMs, poolSize, commandStarted });
  try {
    const generations = new MongodbGenerations(connection, options);
    await connection.write((deadline) => generations.registry.ensure(deadline));
    const live = new LiveView(generations);
    return await openWhole(live, (...given) => new GenerationView(generations, ...given), generations);
  } catch (error) {
    await connection.close();
    throw error;
  }
}
