import { ReadModelsUnavailable, type ReadModels } from '@rollcall/application/read';

import { usableFolder, type FolderRole } from '../../lmdb-folder.js';
import { openWhole, type WholeStoreOptions } from '../whole-store.js';
import { openEnvironment, orUnavailable } from './environment.js';
import { GenerationView } from './generation-view.js';
import { EmbeddedGenerations } from './generations.js';
import { LiveView } from './live-view.js';

export interface EmbeddedReadModelsOptions extends WholeStoreOptions {
  /** Created if missing; processes of one host may share it. */
  readonly folder: string;
  /** False (no sync) for benchmarks and temporary stores only. */
  readonly sync?: boolean;
  /** Limit for one `find`'s snapshot (ms, 10 minutes by default). */
  readonly snapshotMs?: number;
}

export const readModelsRole: FolderRole = {
  what: 'read models',
  unavailable: (message, cause) => new ReadModelsUnavailable(message, { cause }),
  mend: 'End all processes and delete the folder: read models are built again from the event log',
};

/** LMDB read models. Each `find` sees one snapshot. `ReadModelsUnavailable` where the folder cannot be used. */
export function openEmbeddedReadModels(options: EmbeddedReadModelsOptions): Promise<ReadModels> {
  return orUnavailable(options.folder, async () => {
    const folder = await usableFolder(options.folder, readModelsRole);
    const environment = await openEnvironment(folder, options.sync ?? true);
    const generations = new EmbeddedGenerations(environment, options);
    const live = new LiveView(generations);
    return openWhole(live, (...given) => new GenerationView(generations, ...given), generations);
  });
}
