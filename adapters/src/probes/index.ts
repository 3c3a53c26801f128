import type { Clock } from '@rollcall/application';
import type { AdaptersConfig, MailerChoice } from '../adapters-config.js';
import type { FoundServer } from './found-server.js';

export type { FoundServer } from './found-server.js';

export interface ServerProbes {
  readonly eventLog?: () => Promise<FoundServer>;
  readonly readModels?: () => Promise<FoundServer>;
  readonly queue?: () => Promise<FoundServer>;
  readonly mailer?: () => Promise<FoundServer>;
}

/** One probe per chosen server, none for embedded adapters; each ends within seconds. */
export function serverProbes(config: AdaptersConfig, mailer: MailerChoice, clock: Clock): ServerProbes {
  const { eventLog, readModels, queue, streamPrefix } = config;
  return {
    ...(eventLog.kind === 'eventstoredb' && {
      eventLog: async () =>
        (await import('./probe-eventstoredb.js')).probeEventStoreDb(eventLog.connectionString, clock),
    }),
    ...(readModels.kind === 'mongodb' && {
      readModels: async () => (await import('./probe-mongodb.js')).probeMongodb(readModels.url, clock),
    }),
    ...(queue.kind === 'nats' && {
      queue: async () => (await import('./probe-nats.js')).probeNats({ url: queue.url, streamPrefix }, clock),
    }),
    ...(mailer.kind === 'smtp' && {
      mailer: async () => (await import('./probe-smtp.js')).probeSmtp(mailer.url),
    }),
  };
}
