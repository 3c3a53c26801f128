import type { ReadModels } from '@rollcall/application';
import type { MongodbReadModelsOptions } from './options.js';

/**
 * The read-model store on MongoDB, by single-document writes only (docs/read-models.md, "MongoDB"). Any number
 * of processes may share a database. A retired generation is dropped an hour later, by whichever process has the store open
 * then. `ReadModelsUnavailable` where no primary answers, or a newer program has changed the layout; `ConfigInvalid` where
 * the connection string is none.
 */
export async function openMongodbReadModels(options: MongodbReadModelsOptions): Promise<ReadModels> {
  // Whoever uses other read models does not load the driver.
  const { openReadModels } = await import('./open.js');
  return openReadModels(options);
}
