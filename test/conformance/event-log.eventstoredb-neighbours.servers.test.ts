import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EventStoreDBClient } from '@eventstore/db-client';
import { EventLogUnavailable, type EventLog } from '@rollcall/application';
import tap, { type Test } from 'tap';
import { EventStoreDbServer } from '../servers/eventstoredb-server.js';
import { neighbours } from '../servers/eventstoredb-stand-in.support.js';
import type { TcpProxy } from '../servers/tcp-proxy.js';
import { until } from '../support/until.js';
import { isAway, openLogOn, proxyFor, TIMEOUT_MS, untilThere } from './event-log.eventstoredb.support.js';
import { catchUp, collect, newEvent, newEvents, put } from './event-log.support.js';

const MANY = 600_000;

/** A server of its own, a neighbour who fills it, and an installation that looks at it through a proxy. */
async function begin(t: Test, timeoutMs = 5_000) {
  const server = await EventStoreDbServer.start({ folder: t.testdir() });
  const client = EventStoreDBClient.connectionString(server.url);
  t.teardown(async () => {
    await client.dispose();
    await server.stop();
  });
  const proxy = await proxyFor(t, server);
  const log = await openLogOn(t, proxy, { streamPrefix: 'own-', timeoutMs });
  const settle = () => client.appendToStream('others', neighbours(MANY));
  return { server, client, proxy, log, settle };
}

async function bytesOf(proxy: TcpProxy, work: () => Promise<unknown>): Promise<number> {
  const before = proxy.received;
  await work();
  return proxy.received - before;
}

const namesOf = async (log: EventLog, begin: string): Promise<string[]> =>
  (await collect(log.listStreams(begin))).map(({ stream }) => stream);

tap.test('the end of the log is learned behind any number of others, whatever a call may take', async (t) => {
  const { log, proxy, server, settle } = await begin(t, 400);
  const writing = await openLogOn(t, server, { streamPrefix: 'own-', timeoutMs: 5_000 });
  await settle();
  t.equal(await log.lastPosition(), undefined, 'the first look');
  for (const revision of [0, 1, 2]) {
    await settle();
    const { position } = await put(writing, 'survey-1', revision === 0 ? 'no-stream' : revision - 1, [
      newEvent(),
    ]);
    await settle();
    const looks = Array.from({ length: 5 }, () => log.lastPosition());
    t.strictSame(await Promise.all(looks), Array(5).fill(position), `${2 * MANY} more`);
    const again = await bytesOf(proxy, async () => t.equal(await log.lastPosition(), position));
    t.ok(again < 5_000, `and no more: ${again} bytes`);
  }
  t.equal(proxy.connections, 2, 'one that asked who leads, and one for looks');
});

tap.test('a look that is cut off goes on where it was', async (t) => {
  const { log, proxy, settle } = await begin(t);
  await put(log, 'survey-1', 'no-stream', [newEvent()]);
  const position = await log.lastPosition();
  await settle();
  const look = () => log.lastPosition();
  const whole = await bytesOf(proxy, () => log.listStreams('survey-')[Symbol.asyncIterator]().next());
  proxy.at(proxy.received + 0.7 * whole, () => proxy.reset());
  await t.rejects(look(), EventLogUnavailable);
  const rest = await bytesOf(proxy, async () => t.equal(await look(), position));
  t.ok(rest < 0.75 * whole, `${rest} of ${whole} bytes were left`);
});

tap.test('a first look at a server that falls silent is given up', async (t) => {
  const { log, proxy, settle } = await begin(t, TIMEOUT_MS);
  await settle();
  await settle();
  // It takes 2,074 bytes, the last of them half a second later.
  proxy.at(proxy.received + 1_500, () => proxy.setMode('swallow'));
  await isAway(t, 'the first look', () => log.lastPosition());
});

tap.test('streams are listed, swept and followed by reading on', async (t) => {
  const { log, proxy, settle } = await begin(t);
  const sweep = async (): Promise<void> => {
    await namesOf(log, 'data-');
    await namesOf(log, 'payload-');
    ({ position: reached } = await catchUp(log, reached, ['data-', 'payload-']));
  };
  let reached: bigint | undefined;
  await put(log, 'survey-1', 'no-stream', newEvents(2));
  await put(log, 'payload-1', 'no-stream', [newEvent()]);
  await settle();
  const first = await bytesOf(proxy, sweep);
  const again = await bytesOf(proxy, sweep);
  t.ok(again < first / 10, `${again} bytes the second time, ${first} the first`);
  // Whoever stands before the others' events, and has a new event behind them, passes them no more either.
  const { position } = await put(log, 'survey-1', 1, [newEvent()]);
  const behind = await bytesOf(proxy, sweep);
  t.equal(reached, position);
  t.ok(behind < first / 10, `${behind} bytes with an event behind them`);
  t.strictSame((await catchUp(log, undefined)).events.length, 4, 'nothing is left out');
});

tap.test('a deleted stream is not listed, wherever the look at the deletions was cut off', async (t) => {
  for (const part of [0.3, 0.6, 0.9, 1.2, 1.5, 1.8]) {
    const { log, proxy, settle } = await begin(t);
    await put(log, 'data-1', 'no-stream', [newEvent()]);
    t.strictSame(await namesOf(log, 'data-'), ['data-1']);
    await log.deleteStream('data-1');
    await put(log, 'data-2', 'no-stream', [newEvent()]);
    await settle();
    const whole = await bytesOf(proxy, () => namesOf(log, 'survey-'));
    const begun = proxy.received;
    let isListed = false;
    const listed = namesOf(log, 'data-')
      .catch(() => undefined)
      .finally(() => (isListed = true));
    const isFar = (): boolean => proxy.received - begun > part * whole;
    await until('it is on its way', () => isListed || isFar(), { everyMs: 1 });
    proxy.reset();
    await listed;
    const names = await untilThere(() => namesOf(log, 'data-'));
    t.strictSame(names, ['data-2'], `cut after ${part}`);
  }
});

tap.test('streams whose names begin as that of a bulky one are listed', async (t) => {
  const { log } = await begin(t);
  const chunk = () => newEvent('', { contentType: 'binary', data: Buffer.alloc(524_288), type: 'DataPiece' });
  for (let n = -1; n < 3; n++) await put(log, 'data-1', n < 0 ? 'no-stream' : n, [chunk()]);
  await put(log, 'data-10', 'no-stream', [newEvent()]);
  await put(log, 'data-2', 'no-stream', [chunk()]);
  t.strictSame(await namesOf(log, 'data-'), ['data-1', 'data-10', 'data-2']);
  for (let n = 3; n < 6; n++) await put(log, 'data-1', n, [chunk()]);
  await log.deleteStream('data-1');
  await put(log, 'data-11', 'no-stream', [newEvent()]);
  t.strictSame(
    await namesOf(log, 'data-'),
    ['data-10', 'data-2', 'data-11'],
    'and a bulky one that is gone is not',
  );
});

tap.test('a log that is shorter than it was is learned anew', async (t) => {
  const folder = t.testdir();
  const server = await EventStoreDbServer.start({ folder });
  t.teardown(() => server.stop());
  const log = await openLogOn(t, server, { streamPrefix: 'own-', timeoutMs: 5_000 });
  await put(log, 'survey-1', 'no-stream', [newEvent()]);
  const [file, copy] = [join(folder, 'events.log'), join(folder, 'copy')];
  await copyFile(file, copy);
  await put(log, 'survey-2', 'no-stream', newEvents(50));
  await log.lastPosition();
  t.strictSame(await namesOf(log, 'survey-'), ['survey-1', 'survey-2']);
  await server.kill();
  await copyFile(copy, file);
  await server.restart();
  await untilThere(() => log.readLast('survey-1'));
  // Whoever knew the longer one appends nothing to it.
  const other = await openLogOn(t, server, { streamPrefix: 'own-', timeoutMs: 5_000 });
  const { position } = await put(other, 'survey-3', 'no-stream', [newEvent()]);
  t.equal(await log.lastPosition(), position);
  t.strictSame(await namesOf(log, 'survey-'), ['survey-1', 'survey-3']);
  t.equal((await catchUp(log, undefined)).events.length, 2);
});
