import { join } from 'node:path';
import { openEmbeddedEventLog } from './event-log/embedded/embedded-event-log.js';
import type { EventLog } from './event-log/port.js';
import { openEmbeddedReadModels } from './read-models/embedded/open.js';
import type { ReadModels } from './read-models/port.js';

/** Which adapter stands behind each port, and where it keeps its data. */
export interface AdaptersConfig {
  readonly dataDir: string;
  readonly eventLog: 'embedded';
  readonly readModels: 'embedded';
  /** Put before every stream name: several installations may share a log. */
  readonly streamPrefix: string;
  /** False only for the benchmark: nothing is synced. */
  readonly sync?: boolean;
}

export interface Adapters {
  readonly log: EventLog;
  readonly readModels: ReadModels;
  close(): Promise<void>;
}

const eventLogs: Record<AdaptersConfig['eventLog'], (config: AdaptersConfig) => Promise<EventLog>> = {
  embedded: ({ dataDir, streamPrefix, sync = true }) =>
    openEmbeddedEventLog({ folder: join(dataDir, 'event-log'), streamPrefix, sync }),
};

const readModelStores: Record<AdaptersConfig['readModels'], (config: AdaptersConfig) => Promise<ReadModels>> =
  {
    embedded: ({ dataDir, sync = true }) =>
      openEmbeddedReadModels({ folder: join(dataDir, 'read-models'), sync }),
  };

/** The one place that chooses adapters. `EventLogUnavailable` or `ReadModelsUnavailable` where one cannot be opened. */
export async function openAdapters(config: AdaptersConfig): Promise<Adapters> {
  const log = await eventLogs[config.eventLog](config);
  try {
    const readModels = await readModelStores[config.readModels](config);
    return {
      log,
      readModels,
      close: async () => {
        await Promise.all([readModels.close(), log.close()]);
      },
    };
  } catch (error) {
    await log.close();
    throw error;
  }
}
