import type { ServerUrls } from './adapter-environment.js';
import { EventStoreDbServer } from './eventstoredb-server.js';
import { findMongodbServer, MongodbServer } from './mongodb-server.js';
import { findNatsServer, NatsServer } from './nats-server.js';
import { skipWithout } from './skip-without.js';

const HOW = 'run `bash .ci/servers.sh FOLDER`, and this with ROLLCALL_SERVERS_DIR=FOLDER';

/** Why suites that stop and start all three servers are skipped, false where they run. */
export const skipWithoutServers = skipWithout(
  (findNatsServer() === undefined && `no nats-server: ${HOW}`) ||
    (findMongodbServer() === undefined && `no rollcall-ferretdb: ${HOW}`),
);

/** The production stack's servers, each of our own, on free ports. */
export interface ThreeServers {
  readonly eventLog: EventStoreDbServer;
  readonly readModels: MongodbServer;
  readonly queue: NatsServer;
  readonly urls: ServerUrls;
  stop(): Promise<void>;
}

export async function startThreeServers(): Promise<ThreeServers> {
  const [eventLog, readModels, queue] = await Promise.all([
    EventStoreDbServer.start(),
    MongodbServer.start(),
    NatsServer.start(),
  ]);
  return {
    eventLog,
    readModels,
    queue,
    urls: { EVENTSTOREDB_URL: eventLog.url, MONGODB_URL: readModels.url, NATS_URL: queue.url },
    stop: async () => {
      await Promise.all([eventLog.stop(), readModels.stop(), queue.stop()]);
    },
  };
}
