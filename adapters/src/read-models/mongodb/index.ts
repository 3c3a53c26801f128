import type { CommandStartedEvent } from 'mongodb';
import type { Clock } from '../../clock.js';
import type { ReadModels } from '../port.js';

export interface MongodbReadModelsOptions {
  /**
   * The connection string. Its path names the database (`rollcall` where it has none), which the read models have for
   * themselves; TLS and credentials are its options.
   */
  readonly url: string;
  readonly clock?: Clock;
  /** How often the progress is looked for while somebody waits (ms, 25 by default). */
  readonly pollMs?: number;
  /** How long one reading call may take (ms, 5,000 by default). */
  readonly readMs?: number;
  /** How long one writing call may take (ms, 30,000 by default), the wait for the majority included. */
  readonly writeMs?: number;
  /** Is shown every command before it is sent. */
  readonly commandStarted?: (event: CommandStartedEvent) => void;
}

/**
 * The read-model store on MongoDB, by single-document writes only (docs/read-models.md, "The MongoDB adapter"). Any number
 * of processes may share a database. A retired generation is dropped an hour later, by whichever process has the store open
 * then. `ReadModelsUnavailable` where no primary answers, or a newer program has changed the layout; `ConfigInvalid` where
 * the connection string is none.
 */
export async function openMongodbReadModels(options: MongodbReadModelsOptions): Promise<ReadModels> {
  // Whoever uses other read models does not load the driver.
  const { openReadModels } = await import('./open.js');
  return openReadModels(options);
}
