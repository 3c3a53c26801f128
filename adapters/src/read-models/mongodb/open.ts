import type { ReadModels } from '@rollcall/application';
import type { CommandStartedEvent } from 'mongodb';

import { openWhole, type WholeStoreOptions } from '../whole-store.js';
import { Connection } from './connection.js';
import { GenerationView } from './generation-view.js';
import { MongodbGenerations } from './generations.js';

export interface MongodbReadModelsOptions extends WholeStoreOptions {
  /**
   * The connection string. Its path names the database (`rollcall` where it has none), which the read models have for
   * themselves; TLS and credentials are its options.
   */
  readonly url: string;
  /** How long one reading call may take (ms, 5,000 by default). */
  readonly readMs?: number;
  /** How long one writing call may take (ms, 30,000 by default), the wait for the majority included. */
  readonly writeMs?: number;
  /** How many connections there are at most (30 by default). */
  readonly poolSize?: number;
  /** Is shown every command before it is sent. */
  readonly commandStarted?: (event: CommandStartedEvent) => void;
}

const READ_MS = 5_000;
const WRITE_MS = 30_000;

/**
 * The read-model store on MongoDB, by single-document writes only (docs/read-models.md, "MongoDB"). Any number
 * of processes may share a database. A retired generation is dropped an hour later, by whichever process has the store open
 * then. `ReadModelsUnavailable` where no primary answers, or a newer program has changed the layout; `ConfigInvalid` where
 * the connection string is none.
 */
export async function openMongodbReadModels(options: MongodbReadModelsOptions): Promise<ReadModels> {
  const { url, commandStarted, poolSize, readMs = READ_MS, writeMs = WRITE_MS } = options;
  const connection = await Connection.open({ url, readMs, writeMs, poolSize, commandStarted });
  try {
    const generations = new MongodbGenerations(connection, options);
    await connection.write((deadline) => generations.registry.ensure(deadline));
    return await openWhole((number) => new GenerationView(generations, number), generations);
  } catch (error) {
    await connection.close();
    throw error;
  }
}
