import type { AdaptersConfig } from '@rollcall/adapters';

/** Where the three servers are. */
export interface ServerUrls {
  readonly EVENTSTOREDB_URL: string;
  readonly MONGODB_URL: string;
  readonly NATS_URL: string;
}

/** The environment by which a process chooses these adapters. */
export function adapterEnvironment(config: AdaptersConfig): Record<string, string> {
  const { eventLog, readModels, queue } = config;
  return {
    DATA_DIR: config.dataDir,
    STREAM_PREFIX: config.streamPrefix,
    EVENT_LOG: eventLog.kind,
    ...(eventLog.kind === 'eventstoredb' && { EVENTSTOREDB_URL: eventLog.connectionString }),
    READ_MODELS: readModels.kind,
    ...(readModels.kind === 'mongodb' && { MONGODB_URL: readModels.url }),
    QUEUE: queue.kind,
    ...(queue.kind === 'nats' && { NATS_URL: queue.url }),
  };
}
