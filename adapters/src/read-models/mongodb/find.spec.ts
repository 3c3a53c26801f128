import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { ReadModelsUnavailable } from '@rollcall/application';
import { MongoClient } from 'mongodb';
import t, { type Test } from 'tap';
import type { Deadline } from './connection.js';
import type { DocumentRecord } from './documents.js';
import { byKey, findBatches } from './find.js';
import { asOutage } from './outages.js';

/** A server that takes connections and says nothing. */
async function silentServer(t: Test): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function beginning(t: Test, url: string): MongoClient {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 200 });
  client.connect().catch(() => undefined);
  t.teardown(() => client.close());
  return client;
}

t.test('a list that is read while the client is renewed', async (t) => {
  const url = await silentServer(t);
  const [before, client] = [beginning(t, url), beginning(t, url)];
  // Its own steps before the first call.
  await new Promise((resolve) => setImmediate(resolve));
  const of = (one: MongoClient) => one.db('rollcall').collection<DocumentRecord>('employees');
  for (const hasSnapshots of [true, false]) {
    const connection = {
      client,
      hasSnapshots,
      collection: <T extends object>(name: string) => client.db('rollcall').collection<T>(name),
      checkIs: () => undefined,
      read: async <T>(work: (deadline: Deadline) => Promise<T>): Promise<T> => {
        try {
          return await work({ step: (step) => step(200) });
        } catch (error) {
          throw asOutage(error);
        }
      },
    };
    const read = () => findBatches(connection, of(before), byKey({ prefix: [7] })).next();
    await t.rejects(read(), ReadModelsUnavailable, `an outage, snapshots: ${hasSnapshots}`);
  }
});
