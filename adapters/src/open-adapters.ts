import { join } from 'node:path';
import { openEmbeddedEventLog } from './event-log/embedded/embedded-event-log.js';
import type { EventLog } from './event-log/port.js';
import { openFileMailer, openSmtpMailer, type Mailer } from './mailer/index.js';
import { openEventStoreDbEventLog, openMongodbReadModels, openNatsQueue } from './open-servers.js';
import { openInParts, type Opened } from './process/parts.js';
import { openEmbeddedQueue } from './queue/embedded/embedded-queue.js';
import type { Queue } from './queue/port.js';
import { openEmbeddedReadModels } from './read-models/embedded/open.js';
import type { ReadModels } from './read-models/port.js';

/** The adapters that can be chosen for each port, each with what it needs to be told. */
export type EventLogChoice =
  { readonly kind: 'embedded' } | { readonly kind: 'eventstoredb'; readonly connectionString: string };
export type ReadModelsChoice =
  { readonly kind: 'embedded' } | { readonly kind: 'mongodb'; readonly url: string };
export type QueueChoice =
  { readonly kind: 'embedded' } | { readonly kind: 'nats'; readonly url: string; readonly replicas: number };
export type MailerChoice =
  { readonly kind: 'file' } | { readonly kind: 'smtp'; readonly url: string; readonly connections: number };

/** Which adapter stands behind each port, and where it keeps its data. It can be sent to a thread. */
export interface AdaptersConfig {
  readonly dataDir: string;
  readonly eventLog: EventLogChoice;
  readonly readModels: ReadModelsChoice;
  readonly queue: QueueChoice;
  /** Put before every stream name: several installations may share a log. */
  readonly streamPrefix: string;
  /** False only for the benchmark: nothing is synced. */
  readonly sync?: boolean;
}

/** Everything embedded, in one folder. */
export const embeddedAdapters = (dataDir: string): AdaptersConfig => ({
  dataDir,
  eventLog: { kind: 'embedded' },
  readModels: { kind: 'embedded' },
  queue: { kind: 'embedded' },
  streamPrefix: '',
});

export interface Stores {
  readonly log: EventLog;
  readonly readModels: ReadModels;
  close(): Promise<void>;
}

export interface Adapters extends Stores {
  readonly queue: Queue;
}

function openEventLog({ eventLog, dataDir, streamPrefix, sync = true }: AdaptersConfig): Promise<EventLog> {
  switch (eventLog.kind) {
    case 'embedded':
      return openEmbeddedEventLog({ folder: join(dataDir, 'event-log'), streamPrefix, sync });
    case 'eventstoredb':
      return openEventStoreDbEventLog({ connectionString: eventLog.connectionString, streamPrefix });
    default:
      return eventLog satisfies never;
  }
}

function openReadModels({ readModels, dataDir, sync = true }: AdaptersConfig): Promise<ReadModels> {
  switch (readModels.kind) {
    case 'embedded':
      return openEmbeddedReadModels({ folder: join(dataDir, 'read-models'), sync });
    case 'mongodb':
      return openMongodbReadModels({ url: readModels.url });
    default:
      return readModels satisfies never;
  }
}

function openQueue({ queue, dataDir, streamPrefix, sync = true }: AdaptersConfig): Promise<Queue> {
  switch (queue.kind) {
    case 'embedded':
      return openEmbeddedQueue({ folder: join(dataDir, 'queue'), sync });
    case 'nats':
      return openNatsQueue({ url: queue.url, replicas: queue.replicas, streamPrefix });
    default:
      return queue satisfies never;
  }
}

const openedStores = async (config: AdaptersConfig, opened: Opened): Promise<Omit<Stores, 'close'>> => ({
  log: opened(await openEventLog(config)),
  readModels: opened(await openReadModels(config)),
});

/** What decides and reads needs no queue. `EventLogUnavailable` or `ReadModelsUnavailable` where one cannot be opened. */
export const openStores = (config: AdaptersConfig): Promise<Stores> =>
  openInParts((opened) => openedStores(config, opened));

/**
 * With `openStores` and `openMailer` the one place that chooses adapters. `EventLogUnavailable`, `ReadModelsUnavailable` or
 * `QueueUnavailable` where one cannot be opened.
 */
export const openAdapters = (config: AdaptersConfig): Promise<Adapters> =>
  openInParts(async (opened) => {
    const stores = await openedStores(config, opened);
    return { ...stores, queue: opened(await openQueue(config)) };
  });

/** The mailer that sends invitations; only workers have one. */
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
