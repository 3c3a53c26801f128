import { systemClock, type Clock, type CollectionDeclaration, type ReadModels } from '@rollcall/application';
import type { CommandStartedEvent } from 'mongodb';

import { Collections } from '../collections.js';
import { openWhole } from '../whole-store.js';
import { Connection } from './connection.js';
import { GenerationView } from './generation-view.js';
import { MongodbGenerations } from './generations.js';

export interface MongodbReadModelsOptions {
  /**
   * The connection string. Its path names the database (`rollcall` where it has none), which the read models have for
   * themselves; TLS and credentials are its options.
   */
  readonly url: string;
  /** This and `collections` as the embedded adapter has them. */
  readonly projections?: string;
  readonly collections?: readonly CollectionDeclaration[];
  readonly clock?: Clock;
  /** How often the progress is looked for while somebody waits (ms, 25 by default). */
  readonly pollMs?: number;
  /** How long one reading call may take (ms, 5,000 by default). */
  readonly readMs?: number;
  /** How long one writing call may take (ms, 30,000 by default), the wait for the majority included. */
  readonly writeMs?: number;
  /** How many connections there are at most (30 by default). */
  readonly poolSize?: number;
  /** Is shown every command before it is sent. */
  readonly commandStarted?: (event: CommandStartedEvent) => void;
}

const POLL_MS = 25;
const READ_MS = 5_000;
const WRITE_MS = 30_000;

/**
 * The read-model store on MongoDB, by single-document writes only (docs/read-models.md, "MongoDB"). Any number
 * of processes may share a database. A retired generation is dropped an hour later, by whichever process has the store open
 * then. `ReadModelsUnavailable` where no primary answers, or a newer program has changed the layout; `ConfigInvalid` where
 * the connection string is none.
 */
export async function openMongodbReadModels(options: MongodbReadModelsOptions): Promise<ReadModels> {
  const { url, commandStarted, poolSize, clock = systemClock } = options;
  const { pollMs = POLL_MS, readMs = READ_MS, writeMs = WRITE_MS } = options;
  const connection = await Connection.open({ url, readMs, writeMs, poolSize, commandStarted });
  try {
    const version = options.projections;
    const declared = new Collections(options.collections);
    const now = () => clock.now();
    const generations = new MongodbGenerations(connection, { declared, version, pollMs, now });
    await connection.write((deadline) => generations.registry.ensure(deadline));
    return await openWhole((number) => new GenerationView(generations, number), generations);
  } catch (error) {
    await connection.close();
    throw error;
  }
}
