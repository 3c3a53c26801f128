import { EventStoreDBClient } from '@eventstore/db-client';
import tap, { type Test } from 'tap';
import { until } from '../support/until.js';
import type { EventStoreDbServer } from './eventstoredb-server.js';
import { collect, event, failing, put, startStandIn } from './eventstoredb-stand-in.support.js';
import { exactly } from '../support/exactly.js';

/** A client that begins at one node. */
function clientAt(t: Test, server: EventStoreDbServer, node: number): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${server.ports[node]}?tls=false`);
  t.teardown(() => client.dispose());
  return client;
}

/** What a live subscription has delivered, and the error that it ended with. */
function following(client: EventStoreDBClient, stream: string, requiresLeader: boolean) {
  const told = { count: 0, error: undefined as unknown };
  client
    .subscribeToStream(stream, { requiresLeader })
    .on('data', () => (told.count += 1))
    .on('error', (error) => (told.error = error));
  return told;
}

const cluster = (t: Test, ...args: string[]) => startStandIn(t, { args: ['--nodes', '3', ...args] });
const fromLeader = { requiresLeader: true };

tap.test('a follower sends who wants the leader to it, and reads for all others', async (t) => {
  const { server, client } = await cluster(t);
  await put(client, 'a', 'no_stream', 2);
  const at = clientAt(t, server, 1);
  t.equal((await collect(at.readStream('a', { requiresLeader: false }))).length, 2);
  const sent = await failing(at.readStream('a', fromLeader));
  t.match(sent, { type: 'not-leader', code: 5, leader: { address: '127.0.0.1', port: server.port } });
  t.match(sent.message, /Leader info available/);
  t.equal((await collect(at.readStream('a', fromLeader))).length, 2, 'the client goes there by itself');
});

tap.test('a follower that does not say who leads', async (t) => {
  const { server } = await cluster(t, '--hide-leader');
  const sent = await failing(clientAt(t, server, 1).readStream('a', fromLeader));
  t.match(sent, { type: 'unknown', code: 2, message: /No leader info available in response/ });
});

tap.test('another leader, at once and after an election', async (t) => {
  const { server, client } = await cluster(t);
  const stays = following(client, 'a', true);
  await put(client, 'a', 'no_stream', 2);
  await server.order('lead', 1, 0);
  t.match(await failing(client.appendToStream('a', event(), { expectedRevision: 1n })), { code: 5 });
  t.equal((await put(client, 'a', 1n)).revision, 2n);
  await until('a subscription at the node that leads no more goes on', () => stays.count === 3);
  const electing = server.order('lead', 2, 400);
  const during = await until('it is electing', () =>
    failing(clientAt(t, server, 0).readStream('a', fromLeader)).catch(() => undefined),
  );
  t.match(during, { type: 'unavailable', message: /Server Is Not Ready/ });
  await electing;
  const discovering = EventStoreDBClient.connectionString(server.url);
  t.teardown(() => discovering.dispose());
  t.equal((await collect(discovering.readStream('a', fromLeader))).length, 3, 'gossip names the leader');
});

tap.test('a leader that is cut off goes on answering its readers, and takes no writes', async (t) => {
  const { server, client } = await cluster(t, '--commit-timeout-ms', '100');
  await put(client, 'a', 'no_stream', 2);
  const stays = following(client, 'a', true);
  await until('it is live', () => stays.count === 2);
  await server.order('cut', 0, 0);
  const refused = await failing(client.appendToStream('a', event(), { credentials: nobody }));
  t.match(refused, { message: /Commit phase timeout/ });
  const elsewhere = clientAt(t, server, 1);
  t.equal((await put(elsewhere, 'a', 1n)).revision, 2n);
  t.equal((await collect(client.readStream('a', fromLeader))).length, 2, 'it knows nothing of that');
  t.equal((await collect(elsewhere.readStream('a', fromLeader))).length, 3);
  t.match([stays.count, stays.error], exactly([2, undefined]));
  await server.order('join', 0);
  await until('it is told of what it missed', () => stays.count === 3);
  t.match(await failing(client.readStream('a', fromLeader)), { type: 'not-leader' });
});

tap.test('nodes that are killed come back with everything', async (t) => {
  const { server, client } = await cluster(t);
  const first = await put(client, 'a', 'no_stream', 2);
  const stays = following(client, 'a', true);
  await until('it is live', () => stays.count === 2);
  await server.order('kill', 0, 0);
  await until('it is told', () => stays.error !== undefined);
  const elsewhere = clientAt(t, server, 1);
  const second = await put(elsewhere, 'a', 1n);
  t.ok(second.position > first.position);
  await server.order('start', 0);
  t.match(await failing(clientAt(t, server, 0).readStream('a', fromLeader)), { type: 'not-leader' });
  await server.order('lead', 0, 0);
  const again = clientAt(t, server, 0);
  t.equal((await put(again, 'a', 2n)).revision, 3n);
  await server.restart();
  const stored = await collect(
    again.readAll({ fromPosition: { commit: first.position, prepare: first.position } }),
  );
  t.equal(stored.length, 3, 'positions are the same at every node, and after a restart');
});

const nobody = { username: 'nobody', password: 'nothing' };
