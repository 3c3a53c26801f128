import { ReadModelsUnavailable, type ReadModels } from '@rollcall/application/read';

import { usableFolder } from '../../lmdb-folder.js';
import { openWhole, type WholeStoreOptions } from '../whole-store.js';
import { openEnvironment, orUnavailable } from './environment.js';
import { GenerationView } from './generation-view.js';
import { EmbeddedGenerations } from './generations.js';

export interface EmbeddedReadModelsOptions extends WholeStoreOptions {
  /** A folder of its own, created where missing; several processes of one host may share it. */
  readonly folder: string;
  /** False only for benchmarks and for stores that are thrown away: commits are not synced. */
  readonly sync?: boolean;
  /** How long one `find` may hold its snapshot (ms, 10 minutes by default). */
  readonly snapshotMs?: number;
}

/**
 * The read-model store on LMDB, in an environment of its own. Every `find` sees one snapshot from its first document to
 * its last. What is over is dropped by whichever process has the store open then.
 * `ReadModelsUnavailable` where the folder cannot be used.
 */
export function openEmbeddedReadModels(options: EmbeddedReadModelsOptions): Promise<ReadModels> {
  return orUnavailable(async () => {
    const folder = await usableFolder(options.folder, {
      what: 'read models',
      unavailable: (message, cause) => new ReadModelsUnavailable(message, { cause }),
      mend: 'End all processes and delete the folder: read models are built again from the event log',
    });
    const environment = await openEnvironment(folder, options.sync ?? true);
    const generations = new EmbeddedGenerations(environment, options);
    return openWhole((number) => new GenerationView(generations, number), generations);
  });
}
