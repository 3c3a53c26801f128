import { join } from 'node:path';
import { openEmbeddedEventLog } from './event-log/embedded/embedded-event-log.js';
import type { EventLog, Mailer, Queue, ReadModels, StateSnapshots } from '@rollcall/application';
import { openFileMailer } from './mailer/file-mailer.js';
import { openSmtpMailer } from './mailer/smtp-mailer.js';
import {
  openEventStoreDbEventLog,
  openMongodbReadModels,
  openMongodbSnapshots,
  openNatsQueue,
} from './open-servers.js';
import { type Closable, openInParts, type Opened } from './parts.js';
import type { AdaptersConfig, MailerChoice } from './adapters-config.js';
import { openEmbeddedQueue } from './queue/embedded/embedded-queue.js';

import { openEmbeddedReadModels } from './read-models/embedded/open.js';
import { openEmbeddedSnapshots } from './snapshots/embedded.js';

export interface LogStores extends Closable {
  readonly log: EventLog;
  readonly snapshots: StateSnapshots;
}

export interface Stores extends LogStores {
  readonly readModels: ReadModels;
}

export interface Adapters extends Stores {
  readonly queue: Queue;
}

/** `EventLogUnavailable` where it cannot be opened. */
export function openEventLog({
  eventLog,
  dataDir,
  streamPrefix,
  sync = true,
}: AdaptersConfig): Promise<EventLog> {
  switch (eventLog.kind) {
    case 'embedded':
      return openEmbeddedEventLog({ folder: join(dataDir, 'event-log'), streamPrefix, sync });
    case 'eventstoredb':
      return openEventStoreDbEventLog({ connectionString: eventLog.connectionString, streamPrefix });
    default:
      return eventLog satisfies never;
  }
}

/** `ReadModelsUnavailable` where they cannot be opened. */
export function openReadModels({
  readModels,
  dataDir,
  projections,
  sync = true,
}: AdaptersConfig): Promise<ReadModels> {
  const version = projections === undefined ? {} : { projections };
  switch (readModels.kind) {
    case 'embedded':
      return openEmbeddedReadModels({ folder: join(dataDir, 'read-models'), sync, ...version });
    case 'mongodb':
      return openMongodbReadModels({ url: readModels.url, ...version });
    default:
      return readModels satisfies never;
  }
}

async function openSnapshots({ readModels, dataDir }: AdaptersConfig): Promise<StateSnapshots> {
  switch (readModels.kind) {
    case 'embedded':
      return openEmbeddedSnapshots({ folder: join(dataDir, 'snapshots') });
    case 'mongodb':
      return openMongodbSnapshots({ url: readModels.url });
    default:
      return readModels satisfies never;
  }
}

/** `QueueUnavailable` where it cannot be opened. */
export function openQueue({ queue, dataDir, streamPrefix }: AdaptersConfig): Promise<Queue> {
  switch (queue.kind) {
    case 'embedded':
      return openEmbeddedQueue({ folder: join(dataDir, 'queue') });
    case 'nats':
      return openNatsQueue({ url: queue.url, replicas: queue.replicas, streamPrefix });
    default:
      return queue satisfies never;
  }
}

const openedLogStores = async (
  config: AdaptersConfig,
  opened: Opened,
): Promise<Omit<LogStores, 'close'>> => ({
  log: opened(await openEventLog(config)),
  snapshots: opened(await openSnapshots(config)),
});

/** What decisions need. `EventLogUnavailable`. */
export const openLogStores = (config: AdaptersConfig): Promise<LogStores> =>
  openInParts((opened) => openedLogStores(config, opened));

const openedStores = async (config: AdaptersConfig, opened: Opened): Promise<Omit<Stores, 'close'>> => ({
  ...(await openedLogStores(config, opened)),
  readModels: opened(await openReadModels(config)),
});

/** Without a queue. `EventLogUnavailable` or `ReadModelsUnavailable`. */
export const openStores = (config: AdaptersConfig): Promise<Stores> =>
  openInParts((opened) => openedStores(config, opened));

export const openAdapters = (config: AdaptersConfig): Promise<Adapters> =>
  openInParts(async (opened) => {
    const stores = await openedStores(config, opened);
    return { ...stores, queue: opened(await openQueue(config)) };
  });

export function openMailer(mailer: MailerChoice, dataDir: string): Mailer {
  switch (mailer.kind) {
    case 'file':
      return openFileMailer({ folder: join(dataDir, 'outbox') });
    case 'smtp':
      return openSmtpMailer(mailer);
    default:
      return mailer satisfies never;
  }
}
