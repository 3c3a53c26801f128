import { setTimeout as wait } from 'node:timers/promises';
import tap from 'tap';
import { rollcallWithin } from '../cli/rollcall.js';
import { EventLogUnavailable } from '@rollcall/application';
import { until } from '../support/until.js';
import { appendUntilThere, Follower, openLogOn, serverFor } from './event-log.eventstoredb.support.js';
import { tlsFile, tlsOf } from '../servers/tls-files.js';
import { collect, newEvent, newEvents, put } from './event-log.support.js';

const patient = { timeoutMs: 5_000 };
const aCluster = ['--nodes', '3'];

const untilAway = (call: () => Promise<unknown>): Promise<unknown> =>
  until('the log is away', () =>
    call().then(
      () => undefined,
      (error: unknown) => error instanceof EventLogUnavailable,
    ),
  );

tap.test('whatever is first over a new connection, a follower sends it to the leader', async (t) => {
  const server = await serverFor(t, aCluster);
  const streamPrefix = 'first-';
  const atLeader = await openLogOn(t, server, { ...patient, streamPrefix });
  const { position } = await put(atLeader, 'survey-1', 'no-stream', newEvents(3));
  const follower = { port: server.ports[1] ?? 0 };
  const open = () => openLogOn(t, follower, { ...patient, streamPrefix });
  t.equal((await put(await open(), 'survey-2', 'no-stream', [newEvent()])).revision, 0, 'an append');
  t.equal((await (await open()).readLast('survey-1'))?.revision, 2, 'the head of a stream');
  t.equal((await collect((await open()).readStream('survey-1'))).length, 3, 'a stream');
  t.ok(((await (await open()).lastPosition()) ?? 0n) > position, 'the end of the log');
  t.equal((await collect((await open()).listStreams('survey-'))).length, 2, 'a list');
  await (await open()).deleteStream('survey-2');
  const watching = new Follower(await open());
  t.teardown(() => watching.stop());
  await watching.until(() => watching.seen.length === 3);
  await watching.stop();
  t.equal(watching.outages, 0, 'a subscription');
});

tap.test('a follower that does not say who leads: the others do', async (t) => {
  const server = await serverFor(t, [...aCluster, '--hide-leader']);
  const log = await openLogOn(t, { port: server.ports[1] ?? 0 }, patient);
  t.equal((await put(log, 'survey-1', 'no-stream', [newEvent()])).revision, 0);
  await server.order('lead', 2, 0);
  t.equal((await log.readLast('survey-1'))?.revision, 0);
  t.equal((await put(log, 'survey-1', 0, [newEvent()])).revision, 1);
});

tap.test('a preference for followers costs no call', async (t) => {
  const server = await serverFor(t, aCluster);
  const preferring = { connectionString: `${server.url}&nodePreference=follower`, ...patient };
  for (let n = 0; n < 5; n++) {
    const log = await openLogOn(t, server, preferring);
    t.equal((await put(log, 'survey-1', 'no-stream', [newEvent()])).revision, 0);
    t.equal((await log.readLast('survey-1'))?.revision, 0);
  }
});

tap.test('while the leader changes under load no call hears of it', async (t) => {
  const server = await serverFor(t, aCluster);
  const log = await openLogOn(t, server, patient);
  const watching = new Follower(log);
  t.teardown(() => watching.stop());
  let on = true;
  const writing = Array.from({ length: 4 }, async (_, n) => {
    let revision = -1;
    while (on) {
      ({ revision } = await put(log, `survey-${n}`, revision < 0 ? 'no-stream' : revision, [newEvent()]));
      t.equal((await log.readLast(`survey-${n}`))?.revision, revision);
    }
    return revision;
  });
  for (let n = 1; n <= 20; n++) {
    await server.order('lead', n % 3, 0);
    await wait(50);
  }
  on = false;
  const total = (await Promise.all(writing)).reduce((sum, revision) => sum + revision + 1, 0);
  await watching.until(() => watching.seen.length >= total);
  await watching.stop();
  t.equal(new Set(watching.places).size, total, 'every event once');
  t.equal(watching.seen.length, total);
});

tap.test('a command waits for an election, and says so; not for a user who is refused', async (t) => {
  const server = await serverFor(t, aCluster);
  const log = await openLogOn(t, server, patient);
  const environment = { EVENT_LOG: 'eventstoredb', EVENTSTOREDB_URL: server.url };
  const electing = server.order('lead', 1, 5_000);
  await untilAway(() => log.readLast('survey-1'));
  const ran = await rollcallWithin(
    t.testdir(),
    environment,
  )('company configure --company 1 --name One --batch-limit 25');
  t.match(ran, { code: 0, err: /^EventStoreDB is not available: .*\. Waiting for up to 10 s\.\n$/ });
  await electing;

  const strict = await serverFor(t, [...tlsOf('issued'), '--user', 'rollcall:secret']);
  const ca = encodeURIComponent(tlsFile('issued-ca.crt'));
  const refused = `esdb://rollcall:wrong@127.0.0.1:${strict.port}?tls=true&tlsCAFile=${ca}`;
  t.match(await rollcallWithin(t.testdir(), { ...environment, EVENTSTOREDB_URL: refused })('company list'), {
    code: 1,
    err: /^EventStoreDB refuses this user[^\n]*\n$/,
  });
});

tap.test('the line of one node that does not lead is enough for a command', async (t) => {
  const server = await serverFor(t, aCluster);
  const url = `esdb://127.0.0.1:${server.ports[2]}?tls=false`;
  const rollcall = rollcallWithin(t.testdir(), { EVENT_LOG: 'eventstoredb', EVENTSTOREDB_URL: url });
  t.match(await rollcall('company configure --company 1 --name One --batch-limit 25'), { code: 0, err: '' });
  t.match(await rollcall('company list'), { code: 0, out: /One/ });
});

/** Asks for the leader after a short silence. */
const alert = { timeoutMs: 5_000, silenceMs: 100 };

tap.test('a leader that is cut off keeps nobody who only follows the log', async (t) => {
  const server = await serverFor(t, [...aCluster, '--commit-timeout-ms', '200']);
  const streamPrefix = 'cut-';
  for (const connectionString of [server.url, `esdb://127.0.0.1:${server.port}?tls=false`]) {
    const reading = await openLogOn(t, server, { connectionString, streamPrefix, ...alert });
    const writing = await openLogOn(t, { port: server.ports[1] ?? 0 }, { streamPrefix, ...alert });
    await server.order('lead', 0, 0);
    const stream = `survey-${connectionString.length}`;
    await put(writing, stream, 'no-stream', newEvents(2));
    const watching = new Follower(reading);
    t.teardown(() => watching.stop());
    await watching.until(() => watching.places.includes(`${stream}@1`));
    await watching.until(() => watching.reached.length > 0);
    await server.order('cut', 0, 0);
    const { position } = await appendUntilThere(writing, stream, 1, newEvents(3));
    await watching.until(() => watching.places.includes(`${stream}@4`));
    t.equal(await reading.lastPosition(), position, 'the end is that of the leader');
    t.equal((await collect(reading.readStream(stream))).length, 5);
    t.equal(watching.outages, 0);
    t.equal(new Set(watching.places).size, watching.places.length, 'nothing comes twice');
    await watching.stop();
    await server.order('join', 0);
  }
});

tap.test('appends leave a leader that is cut off, and what follows the log goes with them', async (t) => {
  const server = await serverFor(t, [...aCluster, '--commit-timeout-ms', '200']);
  const patientAlone = { timeoutMs: 5_000, silenceMs: 600_000 };
  const log = await openLogOn(t, server, patientAlone);
  await put(log, 'survey-1', 'no-stream', newEvents(2));
  const watching = new Follower(log);
  t.teardown(() => watching.stop());
  await watching.until(() => watching.reached.length > 0);
  await server.order('cut', 0, 0);
  await t.rejects(log.append('survey-1', 1, [newEvent()]), { message: /Commit phase timeout/ });
  await appendUntilThere(log, 'survey-1', 1, [newEvent()]);
  await watching.until(() => watching.seen.length === 3);
  t.equal(watching.outages, 0);
  await watching.stop();
});

tap.test('whoever only reads streams leaves a leader that is cut off', async (t) => {
  const server = await serverFor(t, aCluster);
  const streamPrefix = 'reader-';
  const reader = await openLogOn(t, server, { ...patient, streamPrefix, silenceMs: 100 });
  const writer = await openLogOn(t, server, { ...patient, streamPrefix });
  await put(writer, 'survey-1', 'no-stream', [newEvent()]);
  t.equal((await reader.readLast('survey-1'))?.revision, 0);
  await server.order('cut', 0, 0);
  await appendUntilThere(writer, 'survey-1', 0, [newEvent()]);
  await until('the event is read', async () => (await reader.readLast('survey-1'))?.revision === 1);
});

tap.test('a new connection never begins at a leader that is cut off', async (t) => {
  const server = await serverFor(t, aCluster);
  const streamPrefix = 'new-';
  const writer = await openLogOn(t, server, { ...patient, streamPrefix });
  await put(writer, 'survey-1', 'no-stream', [newEvent()]);
  await server.order('cut', 0, 0);
  await appendUntilThere(writer, 'survey-1', 0, [newEvent()]);
  const preferring = `${server.url}&nodePreference=follower`;
  const alone = `esdb://127.0.0.1:${server.port}?tls=false`;
  for (const connectionString of [...Array<string>(12).fill(server.url), preferring, preferring, alone]) {
    const reader = await openLogOn(t, server, { ...patient, connectionString, streamPrefix });
    t.equal((await reader.readLast('survey-1'))?.revision, 1, connectionString);
    t.equal((await collect(reader.readStream('survey-1'))).length, 2);
  }
});

tap.test('nor does one with TLS and a user', async (t) => {
  const server = await serverFor(t, [...aCluster, ...tlsOf('issued'), '--admin', 'admin:changeit']);
  const hosts = server.ports.map((port) => `127.0.0.1:${port}`).join();
  const ca = encodeURIComponent(tlsFile('issued-ca.crt'));
  const connectionString = `esdb://admin:changeit@${hosts}?tls=true&tlsCAFile=${ca}`;
  const settings = { ...patient, connectionString, streamPrefix: 'new-' };
  const writer = await openLogOn(t, server, settings);
  await put(writer, 'survey-1', 'no-stream', [newEvent()]);
  await server.order('cut', 0, 0);
  await appendUntilThere(writer, 'survey-1', 0, [newEvent()]);
  for (let n = 0; n < 8; n++)
    t.equal((await (await openLogOn(t, server, settings)).readLast('survey-1'))?.revision, 1);
});

tap.test('a node that hands a live subscription nothing is asked for its end', async (t) => {
  const server = await serverFor(t, aCluster);
  const streamPrefix = 'stale-';
  const log = await openLogOn(t, server, { streamPrefix, ...alert });
  await put(log, 'survey-1', 'no-stream', newEvents(2));
  const watching = new Follower(log);
  t.teardown(() => watching.stop());
  await watching.until(() => watching.reached.length > 0);
  // It follows, and hears nothing more: the subscription stays open there, and calls find the leader.
  await server.order('lead', 1, 0);
  await server.order('cut', 0, 0);
  const elsewhere = await openLogOn(t, { port: server.ports[2] ?? 0 }, { streamPrefix, ...alert });
  await appendUntilThere(elsewhere, 'survey-1', 1, [newEvent()]);
  await watching.until(() => watching.seen.length === 3);
  await watching.stop();
});
