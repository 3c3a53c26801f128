import { once } from 'node:events';
import { EventStoreDBClient } from '@eventstore/db-client';
import tap from 'tap';
import {
  collect,
  event,
  failing,
  put,
  RESTARTS,
  STAND_IN_ONLY,
  startServer,
  startStandIn,
  UNARY,
  type Told,
} from './eventstoredb-stand-in.support.js';

tap.test('a server that is killed and comes back', RESTARTS, async (t) => {
  const { client, server, of } = await startServer(t);
  await put(client, of('a'), 'no_stream');
  const subscription = client.subscribeToAll();
  await once(subscription.resume(), 'caughtUp');
  const lost = once(subscription, 'error') as Promise<[Told]>;
  await server.kill();
  t.match((await lost)[0], { type: 'unavailable', code: 14 });
  const refused = /^14 UNAVAILABLE: No connection established\. Last error: .*ECONNREFUSED/;
  t.match(await failing(client.readStream(of('a'))), { type: 'unavailable', message: refused });
  t.match(await failing(client.tombstoneStream(of('b'))), { type: 'unavailable', message: refused });
  const plain = await failing(client.appendToStream(of('a'), event()));
  t.equal(plain.code, 14);
  t.equal(plain.type, undefined, 'an append fails with an error that is not of the client');
  await server.restart();
  t.equal((await put(client, of('a'), 0n)).revision, 1n, 'the same client goes on');
  t.equal((await collect(client.readStream(of('a')))).length, 2);
});

tap.test('what was answered is there after a kill', RESTARTS, async (t) => {
  const { client, server, of } = await startServer(t);
  const streams = Array.from({ length: 16 }, (_, n) => of(`s-${n}`));
  const answered = new Map<string, bigint>();
  const writing = streams.map(async (stream) => {
    for (;;) {
      const last = answered.get(stream);
      const expectedRevision = last ?? ('no_stream' as const);
      const result = await client.appendToStream(stream, event(), { expectedRevision, ...UNARY });
      answered.set(stream, result.nextExpectedRevision);
      if (result.nextExpectedRevision === 10n && stream === of('s-0')) await server.kill();
    }
  });
  await Promise.allSettled(writing);
  await server.restart();
  for (const [stream, last] of answered) {
    const revisions = (await collect(client.readStream(stream))).map((read) => read.event?.revision ?? -1n);
    t.ok((revisions.at(-1) ?? -1n) >= last, stream);
  }
});

tap.test('a server that hangs', STAND_IN_ONLY, async (t) => {
  const { client, server, of } = await startStandIn(t);
  await put(client, of('a'), 'no_stream');
  server.pause();
  t.teardown(() => server.resume());
  const late = await failing(client.appendToStream(of('a'), event(), { deadline: 300, ...UNARY }));
  t.match(late, { type: 'deadline-exceeded', message: /^4 DEADLINE_EXCEEDED: Deadline exceeded/ });
});

tap.test('a server that is not ready yet', STAND_IN_ONLY, async (t) => {
  const { client, of } = await startStandIn(t, { args: ['--not-ready'] });
  const notReady = { type: 'unavailable', message: '14 UNAVAILABLE: Server Is Not Ready' };
  t.match(await failing(client.readStream(of('a'))), notReady);
  t.match(await failing(client.appendToStream(of('a'), event(), UNARY)), notReady);
  t.match(await failing(client.appendToStream(of('a'), event())), {
    type: 'unknown',
    message: 'Could not recognize Server Is Not Ready',
    code: undefined,
  });
});

tap.test('a follower sends what needs the leader to it', STAND_IN_ONLY, async (t) => {
  const leader = await startStandIn(t);
  await put(leader.client, leader.of('a'), 'no_stream');
  const follower = await startStandIn(t, {
    folder: t.testdir({ follower: {} }),
    args: ['--leader', `127.0.0.1:${leader.server.port}`],
  });
  t.equal(
    (await failing(follower.client.readStream(leader.of('a')))).type,
    'stream-not-found',
    'here it is another server',
  );
  const sent = await failing(follower.client.readStream(leader.of('a'), { requiresLeader: true }));
  t.match(sent, { type: 'not-leader', leader: { address: '127.0.0.1', port: leader.server.port } });
  t.equal((await collect(follower.client.readStream(leader.of('a'), { requiresLeader: true }))).length, 1);
});

tap.test('discovery by gossip', STAND_IN_ONLY, async (t) => {
  const { server, of } = await startStandIn(t);
  const client = EventStoreDBClient.connectionString(
    `esdb+discover://127.0.0.1:${server.port}?tls=false&maxDiscoverAttempts=2`,
  );
  t.equal((await put(client, of('a'), 'no_stream')).revision, 0n);
  await client.dispose();
});
