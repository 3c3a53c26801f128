import { EventStoreDBClient } from '@eventstore/db-client';
import tap, { type Test } from 'tap';
import type { EventLog } from '@rollcall/application';
import { until } from '../support/until.js';
import { GrpcProxy } from '../servers/grpc-proxy.js';
import { tlsFile, tlsOf } from '../servers/tls-files.js';
import { openLogOn, serverFor } from './event-log.eventstoredb.support.js';
import { collect, newEvent, put } from './event-log.support.js';
import { exactly } from '../support/exactly.js';

async function behindProxy(t: Test) {
  const server = await serverFor(t);
  const proxy = await GrpcProxy.start(server.port);
  t.teardown(() => proxy.stop());
  const log = await openLogOn(t, proxy, { timeoutMs: 5_000 });
  await put(log, 'survey-1', 'no-stream', [newEvent()]);
  proxy.taken();
  return { proxy, log };
}

const streams = Array.from({ length: 40 }, (_, n) => `survey-${n + 2}`);

/** One event to each stream at the same time. */
const appendToAll = (log: EventLog, expected: 'no-stream' | 0) =>
  Promise.all(streams.map((stream) => log.append(stream, expected, [newEvent()])));

const revisions = (results: Awaited<ReturnType<typeof appendToAll>>): readonly unknown[] =>
  results.map((result) => result.outcome === 'appended' && result.revision);

tap.test('appends to many streams share a call', async (t) => {
  const { proxy, log } = await behindProxy(t);
  t.strictSame(
    revisions(await appendToAll(log, 'no-stream')),
    streams.map(() => 0),
  );
  t.strictSame(
    revisions(await appendToAll(log, 0)),
    streams.map(() => 1),
  );
  const taken = proxy.taken().filter(({ method }) => method.endsWith('Append'));
  t.ok(
    taken.every(({ method }) => method === 'BatchAppend'),
    'none has a call of its own',
  );
  t.strictSame(
    taken.map(({ stream }) => stream.replace(/^.*(?=survey-)/, '')),
    [...streams, ...streams],
  );
  t.ok(taken.filter(({ nth }) => nth === 1).length <= 1, 'the first append has opened it');
  t.strictSame(await log.append('survey-2', 0, [newEvent()]), { outcome: 'wrong-revision', actual: 1 });
  t.strictSame(await log.append('survey-99', 0, [newEvent()]), {
    outcome: 'wrong-revision',
    actual: 'no-stream',
  });
  await log.deleteStream('payload-1');
  await t.rejects(log.append('payload-1', 1, [newEvent()]), { name: 'StreamDeleted', message: /payload-1/ });
});

tap.test(
  'where the call is cut, what was under way goes once more, and nothing is there twice',
  async (t) => {
    const { proxy, log } = await behindProxy(t);
    proxy.cutNext('BatchAppend');
    t.strictSame(
      revisions(await appendToAll(log, 'no-stream')),
      streams.map(() => 0),
    );
    for (const stream of streams) t.equal((await collect(log.readStream(stream))).length, 1);
    // Over the next shared call or, where that is cut off too, one by one.
    const tries = proxy.taken().filter(({ method }) => method.endsWith('Append'));
    t.ok(tries.length > streams.length, 'the call was cut');
  },
);

const as = (user: string, port: number): string =>
  `esdb://${user}@127.0.0.1:${port}?tls=true&tlsCAFile=${encodeURIComponent(tlsFile('issued-ca.crt'))}`;

async function secured(t: Test) {
  const users = ['--admin', 'admin:changeit', '--user', 'rollcall:secret'];
  const server = await serverFor(t, [...tlsOf('issued'), ...users]);
  const log = await openLogOn(t, server, {
    connectionString: as('rollcall:secret', server.port),
    streamPrefix: '',
    timeoutMs: 5_000,
  });
  return { server, log };
}

tap.test('who may not write one stream goes on writing others over the same call', async (t) => {
  const { server, log } = await secured(t);
  const admin = EventStoreDBClient.connectionString(as('admin:changeit', server.port));
  t.teardown(() => admin.dispose());
  await admin.setStreamMetadata('survey-1', { acl: { writeRoles: ['$admins'] } });
  const missing = /a right is missing, .* \(append to survey-1\)$/;
  const appended = await Promise.all([
    log.append('survey-2', 'no-stream', [newEvent()]),
    t.rejects(log.append('survey-1', 'no-stream', [newEvent()]), { message: missing }),
    log.append('survey-3', 'no-stream', [newEvent()]),
  ]);
  t.match([appended[0], appended[2]], exactly([{ outcome: 'appended' }, { outcome: 'appended' }]));
});

tap.test('a password that was changed is noticed while appends go on', async (t) => {
  const { server, log } = await secured(t);
  let revision = (await put(log, 'survey-1', 'no-stream', [newEvent()])).revision;
  await server.order('password', 'rollcall', 'changed');
  const refused = await until('the old one is refused', async () => {
    const outcome = await log.append('survey-1', revision, [newEvent()]).catch((error: unknown) => error);
    if (outcome instanceof Error) return outcome;
    revision += 1;
    return undefined;
  });
  t.match(refused, { message: /the name or the password of the connection string is wrong/ });
});
