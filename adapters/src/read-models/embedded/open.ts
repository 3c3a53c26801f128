import {
  systemClock,
  type Clock,
  type CollectionDeclaration,
  ReadModelsUnavailable,
  type ReadModels,
} from '@rollcall/application/read';

import { usableFolder } from '../../lmdb-folder.js';
import { Collections } from '../collections.js';
import { openWhole } from '../whole-store.js';
import { openEnvironment, orUnavailable } from './environment.js';
import { GenerationView } from './generation-view.js';
import { EmbeddedGenerations } from './generations.js';
import { SNAPSHOT_MS, Snapshots } from './snapshots.js';

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

/**
 * The read-model store on LMDB, in an environment of its own. Every `find` sees one snapshot from its first document to
 * its last. What is over is dropped by whichever process has the store open then.
 * `ReadModelsUnavailable` where the folder cannot be used.
 */
export function openEmbeddedReadModels(options: EmbeddedReadModelsOptions): Promise<ReadModels> {
  return orUnavailable(async () => {
    const { projections: version, clock = systemClock, pollMs = POLL_MS, snapshotMs = SNAPSHOT_MS } = options;
    const folder = await usableFolder(options.folder, {
      what: 'read models',
      unavailable: (message, cause) => new ReadModelsUnavailable(message, { cause }),
      mend: 'End all processes and delete the folder: read models are built again from the event log',
    });
    const environment = await openEnvironment(folder, options.sync ?? true);
    const snapshots = new Snapshots(environment, snapshotMs);
    const now = () => clock.now();
    const declared = new Collections(options.collections);
    const generations = new EmbeddedGenerations({ environment, snapshots, declared, version, pollMs, now });
    return openWhole((number) => new GenerationView(generations, number), generations);
  });
}
