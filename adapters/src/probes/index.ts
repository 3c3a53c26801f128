import type { Clock } from '@rollcall/application';
import type { AdaptersConfig, MailerChoice } from '../adapters-config.js';
import type { FoundServer } from './found-server.js';

export type { FoundServer } from './found-server.js';

/** What is asked of the servers that a configuration names; their clients are loaded here, and only theirs. */
export interface ServerProbes {
  readonly eventLog?: () => Promise<FoundServer>;
  readonly readModels?: () => Promise<FoundServer>;
  readonly queue?: () => Promise<FoundServer>;
  readonly mailer?: () => Promise<FoundServer>;
}

/** A probe for each server that is chosen; what is embedded has none. Each ends within some seconds. */
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
