import type { Queue, ReadableEventLog, ReadModels, StateSnapshots } from '@rollcall/application/read';
import type { AdaptersConfig } from './adapters-config.js';
import { openAdapters } from './open-adapters.js';

export interface ReadingAdapters {
  readonly log: ReadableEventLog;
  readonly readModels: ReadModels;
  readonly snapshots: StateSnapshots;
  readonly queue: Queue;
  close(): Promise<void>;
}

export const openReadingAdapters = (config: AdaptersConfig): Promise<ReadingAdapters> => openAdapters(config);
