import { setTimeout as wait } from 'node:timers/promises';
import { EventStoreDBClient } from '@eventstore/db-client';
import { EventStoreDbServer } from './eventstoredb-server.js';
import { tlsFile, tlsOf } from './tls-files.js';

/** The stand-in as a server of one of the kinds that are in use. */
export interface Form {
  readonly url: string;
  stop(): Promise<void>;
}

/** How often another node of the cluster leads. */
const REIGN_MS = 500;

const at = (port: number, user: string): string =>
  `esdb://${user}@127.0.0.1:${port}?tls=true&tlsCAFile=${encodeURIComponent(tlsFile('issued-ca.crt'))}`;

/** TLS, and a user with the least rights: those of everybody, and to read everything. */
async function secured(): Promise<Form> {
  const users = ['--admin', 'admin:changeit', '--user', 'rollcall:se:cret@'];
  const server = await EventStoreDbServer.start({ args: [...tlsOf('issued'), ...users] });
  const admin = EventStoreDBClient.connectionString(at(server.port, 'admin:changeit'));
  await admin.setStreamMetadata('$all', { acl: { readRoles: ['$admins', 'rollcall'] } });
  await admin.dispose();
  return { url: at(server.port, 'rollcall:se%3Acret%40'), stop: () => server.stop() };
}

/** Three nodes, of which another one leads every moment. */
async function cluster(): Promise<Form> {
  const server = await EventStoreDbServer.start({ args: ['--nodes', '3'] });
  const over = new AbortController();
  const changing = (async () => {
    for (let node = 1; ; node = (node + 1) % 3) {
      await wait(REIGN_MS, undefined, { signal: over.signal }).catch(() => undefined);
      if (over.signal.aborted) return;
      await server.order('lead', node, 0);
    }
  })();
  const stop = async (): Promise<void> => {
    over.abort();
    await changing;
    await server.stop();
  };
  return { url: server.url, stop };
}

async function alone(): Promise<Form> {
  const server = await EventStoreDbServer.start();
  return { url: server.url, stop: () => server.stop() };
}

/** Each by its name. */
export const forms = { alone, secured, 'a cluster': cluster } as const;
