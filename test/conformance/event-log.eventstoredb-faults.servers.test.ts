import { setTimeout as wait } from 'node:timers/promises';
import { EventLogUnavailable } from '@rollcall/application';
import tap from 'tap';
import { freePort } from '../servers/free-port.js';
import {
  appendUntilThere,
  Follower,
  isAway,
  openLogOn,
  proxyFor,
  serverFor,
  TIMEOUT_MS,
  untilThere,
} from './event-log.eventstoredb.support.js';
import { collect, newEvent, newEvents, put } from './event-log.support.js';
import { scale } from '../support/scale.js';
import { until } from '../support/until.js';

tap.test('a server that hangs fails every call in time, and is used again when it goes on', async (t) => {
  const server = await serverFor(t);
  const log = await openLogOn(t, server);
  await put(log, 'survey-1', 'no-stream', newEvents(3));
  const follower = new Follower(log);
  await follower.until(() => follower.reached.length > 0);
  server.pause();
  t.teardown(() => server.resume());
  const late = newEvent();
  await isAway(t, 'an append', () => log.append('survey-1', 2, [late]));
  await isAway(t, 'appends to one stream, all together', () =>
    Promise.all([1, 2, 3].map((n) => log.append('survey-2', n, [newEvent()]))),
  );
  await isAway(t, 'the head of a stream', () => log.readLast('survey-1'));
  await isAway(t, 'a read', () => collect(log.readStream('survey-1')));
  await isAway(t, 'the last position', () => log.lastPosition());
  await isAway(t, 'a deletion', () => log.deleteStream('survey-9'));
  await isAway(t, 'a list', () => collect(log.listStreams('survey-')));
  const { signal } = new AbortController();
  await isAway(t, 'a subscription', () => collect(log.subscribeToAll({ after: undefined, signal })));
  server.resume();
  const { revision } = await appendUntilThere(log, 'survey-1', 2, [late]);
  t.equal(revision, 3, 'written once, whether or not the first attempt came through');
  t.equal((await collect(log.readStream('survey-1'))).length, 4);
  await follower.until(() => follower.seen.length === 4);
  await follower.stop();
});

tap.test('a server that is killed under load, again and again', { timeout: 300_000 }, async (t) => {
  const server = await serverFor(t);
  const log = await openLogOn(t, server, { timeoutMs: 5_000 });
  const follower = new Follower(log);
  let rounds = Math.max(3, Math.ceil(20 * scale));
  const writing = Array.from({ length: 8 }, async (_, n) => {
    let revision = -1;
    for (let turn = 0; rounds > 0; turn++) {
      const events = newEvents(1 + (turn % 3));
      const expected = revision < 0 ? ('no-stream' as const) : revision;
      ({ revision } = await appendUntilThere(log, `survey-${n}`, expected, events));
    }
    return revision;
  });
  for (; rounds > 0; rounds--) {
    await wait(150 * Math.random());
    await server.kill();
    await t.rejects(log.readLast('survey-1'), EventLogUnavailable);
    await server.restart();
    await untilThere(() => log.lastPosition());
  }
  const revisions = await Promise.all(writing);
  const total = revisions.reduce((sum, revision) => sum + revision + 1, 0);
  await follower.until(() => follower.seen.length >= total);
  await follower.stop();
  t.equal(new Set(follower.places).size, total, 'every event once');
  t.equal(follower.places.length, total);
  for (const [n, last] of revisions.entries()) {
    const stored = await collect(log.readStream(`survey-${n}`));
    t.strictSame(
      stored.map(({ revision }) => revision),
      Array.from({ length: last + 1 }, (_, revision) => revision),
      `survey-${n} has every revision once`,
    );
  }
});

tap.test('connections that are reset', async (t) => {
  const server = await serverFor(t);
  const proxy = await proxyFor(t, server);
  const log = await openLogOn(t, proxy, { timeoutMs: 5_000 });
  const follower = new Follower(log);
  let on = true;
  const writing = Array.from({ length: 4 }, async (_, n) => {
    let revision = -1;
    while (on) {
      const expected = revision < 0 ? ('no-stream' as const) : revision;
      ({ revision } = await appendUntilThere(log, `survey-${n}`, expected, [newEvent()]));
    }
    return revision;
  });
  for (let n = 0; n < 10; n++) {
    await wait(50);
    const before = proxy.connections;
    proxy.reset();
    await until('it connects again', () => proxy.connections > before, { everyMs: 5 });
  }
  on = false;
  const total = (await Promise.all(writing)).reduce((sum, revision) => sum + revision + 1, 0);
  await follower.until(() => follower.seen.length >= total);
  await follower.stop();
  t.equal(new Set(follower.places).size, total);
});

tap.test('a connection that swallows everything is given up for a new one', async (t) => {
  const server = await serverFor(t);
  const proxy = await proxyFor(t, server);
  const log = await openLogOn(t, proxy);
  await put(log, 'survey-1', 'no-stream', [newEvent()]);
  proxy.setMode('swallow');
  const late = newEvent();
  await isAway(t, 'an append', () => log.append('survey-1', 0, [late]));
  await isAway(t, 'a read', () => log.readLast('survey-1'));
  // The old connection stays as it is: nothing ever says that it is lost.
  proxy.setMode('pass');
  const begun = performance.now();
  t.equal((await appendUntilThere(log, 'survey-1', 0, [late])).revision, 1);
  t.equal((await log.readLast('survey-1'))?.id, late.id);
  t.ok(performance.now() - begun < 10_000, 'long before the client would notice by its pings');
});

tap.test('a server that is away at the start is used when it comes', async (t) => {
  const port = await freePort();
  const log = await openLogOn(t, { port });
  await isAway(t, 'an append', () => log.append('survey-1', 'no-stream', [newEvent()]));
  await isAway(t, 'the last position', () => log.lastPosition());
  await t.rejects(log.readLast('survey-1'), { message: /ECONNREFUSED/ }, 'it says why');
  const connectionString = `esdb+discover://127.0.0.1:${port}?tls=false&maxDiscoverAttempts=1&discoveryInterval=10`;
  const discovering = await openLogOn(t, { port }, { connectionString, timeoutMs: 5_000 });
  const reason = { message: /no node of the cluster was found \(127\.0\.0\.1:\d+: .*ECONNREFUSED/ };
  await t.rejects(discovering.readLast('survey-1'), reason, 'where it looks for a cluster, too');
});

tap.test('a server that is not ready yet', async (t) => {
  const server = await serverFor(t, ['--not-ready']);
  const log = await openLogOn(t, server);
  await t.rejects(log.append('survey-1', 'no-stream', [newEvent()]), { message: /Server Is Not Ready/ });
  await t.rejects(log.lastPosition(), { message: /Server Is Not Ready/ });
  await server.order('ready');
  t.equal((await appendUntilThere(log, 'survey-1', 'no-stream', [newEvent()])).revision, 0);
});

tap.test('one server that dies takes no other with it', async (t) => {
  const [one, two] = [await serverFor(t), await serverFor(t)];
  const [dying, living] = [await openLogOn(t, one), await openLogOn(t, two, { timeoutMs: 5_000 })];
  await put(dying, 'survey-1', 'no-stream', [newEvent()]);
  const lost = Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => dying.append(`survey-${n}`, 'no-stream', [newEvent()])),
  );
  const kept = Promise.all(
    Array.from({ length: 200 }, (_, n) => put(living, `survey-${n}`, 'no-stream', [newEvent()])),
  );
  await one.kill();
  await lost;
  t.equal((await kept).length, 200);
  t.equal((await put(living, 'survey-0', 0, [newEvent()])).revision, 1);
});

tap.test('appends that overtake each other at the server keep the order of their stream', async (t) => {
  const server = await serverFor(t, ['--jitter-ms', '20']);
  const log = await openLogOn(t, server, { timeoutMs: 5_000 });
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      log.append('data-1', n === 0 ? 'no-stream' : n - 1, [newEvent(`${n}`)]),
    ),
  );
  t.strictSame(
    results.map((result) => result.outcome === 'appended' && result.revision),
    Array.from({ length: 40 }, (_, n) => n),
  );
});

tap.test('a leader that moved, and a cluster that cannot be found', async (t) => {
  const leader = await serverFor(t);
  const follower = await serverFor(t, ['--leader', `127.0.0.1:${leader.port}`]);
  const log = await openLogOn(t, follower, { streamPrefix: 'moved-' });
  const { position } = await appendUntilThere(log, 'survey-1', 'no-stream', [newEvent()]);
  t.equal((await untilThere(() => log.readLast('survey-1')))?.position, position);
  t.equal(await log.lastPosition(), position);
  const atLeader = await openLogOn(t, leader, { streamPrefix: 'moved-' });
  t.equal(await atLeader.lastPosition(), position, 'it was written there');

  const discovering = await openLogOn(t, leader, {
    connectionString: `esdb+discover://127.0.0.1:${leader.port}?tls=false&maxDiscoverAttempts=2&discoveryInterval=10`,
  });
  const watching = new Follower(discovering);
  await put(discovering, 'survey-1', 'no-stream', [newEvent()]);
  await watching.until(() => watching.seen.length === 1);
  await leader.kill();
  // Each of them finds out, and looks for a cluster, while the subscription does the same.
  await Promise.allSettled(Array.from({ length: 5 }, () => discovering.readLast('survey-1')));
  await isAway(t, 'a read', () => discovering.readLast('survey-1'));
  await leader.restart();
  t.equal((await untilThere(() => discovering.readLast('survey-1')))?.revision, 0);
  await appendUntilThere(discovering, 'survey-1', 0, [newEvent()]);
  await watching.until(() => watching.seen.length === 2);
  await watching.stop();
});

tap.test('a discovery that fails behind a call that failed does not end the process', async (t) => {
  const server = await serverFor(t);
  const options = 'tls=false&maxDiscoverAttempts=1&gossipTimeout=1&discoveryInterval=10';
  const log = await openLogOn(t, server, {
    connectionString: `esdb+discover://127.0.0.1:${server.port}?${options}`,
  });
  await put(log, 'survey-1', 'no-stream', [newEvent()]);
  server.pause();
  t.teardown(() => server.resume());
  const first = isAway(t, 'the first read', () => log.readLast('survey-1'));
  await wait(TIMEOUT_MS / 2);
  const second = isAway(t, 'the second read', () => log.readLast('survey-1'));
  await first;
  // The connection was given up, so this one looks for the cluster, and the second fails while it does.
  await isAway(t, 'the third read', () => log.readLast('survey-1'));
  await second;
  await wait(1_500);
  server.resume();
  t.equal((await untilThere(() => log.readLast('survey-1')))?.revision, 0);
});
