import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { StreamDeleted, type EventLog } from '@rollcall/application';
import fc from 'fast-check';
import tap from 'tap';
import { EventStoreDbServer } from '../servers/eventstoredb-server.js';
import { failing } from '../servers/eventstoredb-stand-in.support.js';
import { Follower, openLogOn, proxyFor } from './event-log.eventstoredb.support.js';
import { catchUp, collect, newEvent, newEvents, placeOf, put } from './event-log.support.js';

const server = await EventStoreDbServer.start();
/** Somebody else who uses the server, by the client's own operations. */
const client = EventStoreDBClient.connectionString(server.url);
tap.teardown(async () => {
  await client.dispose();
  await server.stop();
});

const MIB = 1_048_576;
const patient = { timeoutMs: 20_000 };
const piece = () =>
  newEvent('', { contentType: 'binary', data: Buffer.alloc(MIB / 2, 'p'), type: 'DataPiece' });
const note = () => jsonEvent({ type: 'Noted', data: { text: 'x'.repeat(100_000) } });

tap.test('a consumer that is too slow goes on at once from its own place', async (t) => {
  const log = await openLogOn(t, server, patient);
  const follower = new Follower(log);
  await follower.until(() => follower.reached.length > 0);
  await put(log, 'survey-1', 'no-stream', newEvents(200));
  await put(log, 'survey-1', 199, newEvents(500));
  await follower.until(() => follower.seen.length >= 700);
  await Promise.all(
    Array.from({ length: 300 }, (_, n) => put(log, `survey-${n + 2}`, 'no-stream', [newEvent()])),
  );
  await follower.until(() => follower.seen.length >= 1000);
  await follower.stop();
  t.equal(follower.outages, 0, 'nobody hears of it');
  t.equal(follower.seen.length, 1000);
  t.strictSame(
    follower.places.slice(0, 700),
    Array.from({ length: 700 }, (_, n) => `survey-1@${n}`),
  );
});

tap.test('what is said to be reached was delivered', async (t) => {
  const log = await openLogOn(t, server, patient);
  const follower = new Follower(log, { withoutStreams: ['data-'], slowMs: 1 });
  const choosing = new Follower(log, { withoutStreams: ['data-'], matching: '(?=survey-1)', slowMs: 2 });
  const heads = new Map<string, number>();
  const wanted: { place: string; position: bigint }[] = [];
  const steps = fc.sample(
    fc.tuple(fc.constantFrom('data-1', 'survey-1', 'survey-2', 'foreign'), fc.integer({ min: 1, max: 40 })),
    120,
  );
  for (const [stream, count] of steps) {
    if (stream === 'foreign') {
      await client.appendToStream(`foreign-${randomUUID()}`, jsonEvent({ type: 'Foreign', data: {} }));
      continue;
    }
    const head = heads.get(stream);
    const { revision, position } = await put(log, stream, head ?? 'no-stream', newEvents(count));
    heads.set(stream, revision);
    if (stream !== 'data-1') wanted.push({ place: `${stream}@${revision}`, position });
  }
  const last = await log.lastPosition();
  await follower.until(() => follower.places.includes(wanted.at(-1)?.place ?? ''));
  // One that follows live already is not told of what it left out at the end.
  const lastWanted = wanted.at(-1)?.position ?? 0n;
  await choosing.until(() => choosing.reached.some(({ position = -1n }) => position >= lastWanted));
  await Promise.all([follower.stop(), choosing.stop()]);
  t.strictSame(missingOf(follower, wanted), []);
  const chosen = wanted.filter(({ place }) => place.startsWith('survey-1@'));
  t.strictSame(missingOf(choosing, chosen), []);
  t.equal(follower.outages + choosing.outages, 0);
  t.equal((await catchUp(log, undefined, ['data-'])).position, last, 'the first end is the last position');
});

/** Events that were not delivered before a position behind them was said to be reached. */
const missingOf = (
  { reached, places }: Follower,
  wanted: readonly { readonly place: string; readonly position: bigint }[],
): string[] =>
  reached.flatMap(({ position = -1n, count }) => {
    const seen = new Set(places.slice(0, count));
    return wanted
      .filter((event) => event.position <= position && !seen.has(event.place))
      .map((one) => one.place);
  });

tap.test('of the past the server sends matching streams alone, and others know nothing of it', async (t) => {
  const log = await openLogOn(t, server, { streamPrefix: 'matching-' });
  for (let n = 0; n < 40; n += 1) await put(log, `survey-${n}`, 'no-stream', newEvents(3));
  const end = new AbortController();
  const seen: string[] = [];
  const options = { after: undefined, matching: '(?=survey-7)', signal: end.signal };
  let ends = 0;
  for await (const item of log.subscribeToAll(options)) {
    if (item.kind === 'event') seen.push(placeOf(item.event));
    else if ((ends += 1) === 1) await put(log, 'survey-8', 2, newEvents(1));
    if (seen.includes('survey-8@3')) end.abort();
  }
  t.strictSame(seen, ['survey-7@0', 'survey-7@1', 'survey-7@2', 'survey-8@3'], 'and all that comes later');
  const all = await catchUp(log, undefined);
  t.equal(all.events.length, 121, 'nothing is known as a gap that is none');
  const resumed = await catchUp(log, all.events[23]?.position, [], '(?=survey-2)');
  t.equal(resumed.events.length, 30, 'of survey-20 to survey-29');
});

tap.test('bytes come back as they were written, and a person sees JSON', async (t) => {
  const log = await openLogOn(t, server, { streamPrefix: 'bytes-' });
  const texts = [
    '{"a":1.0,"b":1E5,"é":"\\u00e9\\/","a":2}',
    ' { "spaced" : [ ] }\n',
    '{"2":1,"1":2,"__proto__":{}}',
    '"text"',
    '12345678901234567890',
  ].map((text) => Buffer.from(text));
  const written = texts.map((text) => newEvent('', { data: text, metadata: text }));
  await put(log, 'survey-1', 'no-stream', written);
  const stored = await collect(log.readStream('survey-1'));
  const followed = (await catchUp(log, undefined)).events;
  for (const [n, text] of texts.entries()) {
    for (const event of [stored[n], followed[n]]) {
      t.ok(text.equals(event?.data ?? Buffer.from('?')), text.toString());
      t.ok(text.equals(event?.metadata ?? Buffer.from('?')));
      t.equal(event?.contentType, 'json');
    }
  }
  const seen = (await collect(client.readStream('bytes-survey-1'))).map(({ event }) => event);
  t.match(seen[0], { isJson: true, data: { a: 2 }, metadata: { a: 2 }, type: 'SomethingHappened' });
});

tap.test('a deletion is a tombstone; what a person has deleted softly reads as gone', async (t) => {
  const log = await openLogOn(t, server, { streamPrefix: 'deleted-' });
  await put(log, 'payload-1', 'no-stream', newEvents(2));
  await log.deleteStream('payload-1');
  const refused = await failing(client.appendToStream('deleted-payload-1', note()));
  t.equal(refused.type, 'stream-deleted');
  await t.rejects(
    log.append('payload-1', 1, [newEvent()]),
    new StreamDeleted('The stream payload-1 was deleted'),
  );
  await put(log, 'payload-2', 'no-stream', newEvents(2));
  await client.deleteStream('deleted-payload-2');
  t.strictSame(await collect(log.readStream('payload-2')), []);
  t.equal(await log.readLast('payload-2'), undefined);
});

tap.test("the server's own events and those of others are none of this installation's", async (t) => {
  const red = await openLogOn(t, server, { streamPrefix: 'red-' });
  const all = await openLogOn(t, server, { streamPrefix: 'r' });
  t.equal(await red.lastPosition(), undefined);
  t.strictSame(await catchUp(red, undefined), { events: [], position: undefined });
  const { position } = await put(red, 'survey-1', 'no-stream', newEvents(2));
  await client.setStreamMetadata('red-survey-1', { cacheControl: 5 });
  await client.appendToStream('blue-survey-1', note());
  t.equal(await red.lastPosition(), position);
  t.equal((await catchUp(red, undefined)).position, position);
  t.strictSame((await catchUp(red, position)).events, []);
  t.strictSame((await catchUp(all, undefined)).events, [], 'a prefix that is the beginning of another');
  t.strictSame(await collect(red.listStreams('')), [
    { stream: 'survey-1', position: (await catchUp(red, undefined)).events[0]?.position },
  ]);
});

tap.test('without a prefix every stream of a known family is its own', async (t) => {
  const alone = await EventStoreDbServer.start();
  t.teardown(() => alone.stop());
  const log = await openLogOn(t, alone, { streamPrefix: '' });
  t.equal(await log.lastPosition(), undefined, 'the first event of a fresh server does not count');
  await put(log, 'survey-1', 'no-stream', newEvents(2));
  const { position } = await put(log, 'data-1', 'no-stream', [newEvent()]);
  t.equal(await log.lastPosition(), position);
  t.strictSame((await catchUp(log, undefined)).events.map(placeOf), ['survey-1@0', 'survey-1@1', 'data-1@0']);
  t.strictSame((await catchUp(log, undefined, ['data-'])).events.map(placeOf), ['survey-1@0', 'survey-1@1']);
  t.strictSame((await catchUp(log, undefined, ['data-'])).position, position);
  t.strictSame(
    (await collect(log.listStreams('d'))).map(({ stream }) => stream),
    ['data-1'],
  );
});

tap.test('a stream that the server cannot read while it answers is damaged, and no outage', async (t) => {
  const log = await openLogOn(t, server, { ...patient, streamPrefix: 'torn-' });
  await put(log, 'survey-1', 'no-stream', newEvents(2));
  await put(log, 'survey-2', 'no-stream', newEvents(2));
  await client.appendToStream('torn-survey-1', jsonEvent({ type: 'Damaged', data: {} }));
  const damaged = {
    name: 'LogCorrupt',
    message: /cannot read a record of the stream survey-1: it is damaged/,
  };
  await t.rejects(collect(log.readStream('survey-1')), damaged);
  await t.rejects(log.readLast('survey-1'), damaged);
  t.equal((await collect(log.readStream('survey-1', { limit: 2 }))).length, 2, 'up to there it can be read');
  t.equal((await log.readLast('survey-2'))?.revision, 1);
});

tap.test('names are no patterns', async (t) => {
  const log = await openLogOn(t, server, { streamPrefix: 'x.y(1)+' });
  const other = await openLogOn(t, server, { streamPrefix: 'xzy(1)+' });
  await put(other, 'survey-1', 'no-stream', [newEvent()]);
  await put(log, 'data-1', 'no-stream', [newEvent()]);
  t.strictSame((await catchUp(log, undefined)).events.map(placeOf), ['data-1@0']);
  t.strictSame((await catchUp(log, undefined, ['d.ta-'])).events.map(placeOf), ['data-1@0']);
  t.strictSame(await collect(log.listStreams('d.ta-')), []);
  t.equal((await collect(log.listStreams('data-'))).length, 1);
});

/** How many bytes the server sent for it. */
async function bytesFor(proxy: { received: number }, work: () => Promise<unknown>): Promise<number> {
  const before = proxy.received;
  await work();
  return proxy.received - before;
}

tap.test('what is not wanted is not sent', async (t) => {
  const proxy = await proxyFor(t, server);
  const log = await openLogOn(t, proxy, patient);
  const large = async (writer: EventLog, stream: string): Promise<void> => {
    for (let n = 0; n < 12; n++) await put(writer, stream, n === 0 ? 'no-stream' : n - 1, [piece()]);
  };
  await put(log, 'survey-1', 'no-stream', [newEvent()]);
  await large(log, 'data-1');
  await large(log, 'data-2');
  await put(log, 'data-3', 'no-stream', [newEvent()]);
  await log.deleteStream('data-2');
  const listed = async (): Promise<string[]> =>
    (await collect(log.listStreams('data-'))).map(({ stream }) => stream);
  const first = await bytesFor(proxy, async () => t.strictSame(await listed(), ['data-1', 'data-3']));
  t.ok(first < 3 * MIB, `a list took ${first} bytes of 12 MiB`);
  await put(log, 'data-4', 'no-stream', [newEvent()]);
  await log.deleteStream('data-3');
  const again = await bytesFor(proxy, async () => t.strictSame(await listed(), ['data-1', 'data-4']));
  t.ok(again < 10_000, `the next one took ${again} bytes`);

  const followed = await bytesFor(proxy, () => catchUp(log, undefined, ['data-']));
  t.ok(followed < MIB, `a subscription without data- took ${followed} bytes`);

  const { position } = await put(log, 'survey-2', 'no-stream', [newEvent()]);
  t.equal(await log.lastPosition(), position);
  for (let n = 0; n < 50; n++) await client.appendToStream('neighbour-1', note());
  const last = await bytesFor(proxy, async () => t.equal(await log.lastPosition(), position));
  t.ok(last < MIB, `the last position behind 5 MB of others' events took ${last} bytes`);
});

tap.test('reads that end early do not wear the connection out', async (t) => {
  const proxy = await proxyFor(t, server);
  const log = await openLogOn(t, proxy, patient);
  await put(log, 'survey-1', 'no-stream', newEvents(5));
  // Servers close a connection on which a thousand calls were cut off within seconds.
  for (let n = 0; n < 30; n++) {
    await Promise.all(Array.from({ length: 40 }, () => log.readLast('survey-1')));
    await Promise.all(Array.from({ length: 10 }, () => collect(log.readStream('survey-1', { limit: 2 }))));
    await log.lastPosition();
  }
  t.equal(proxy.connections, 4, 'to ask who leads, for calls, for what follows the log, for what is read');
});

tap.test('whatever lasts takes no room from other calls', async (t) => {
  const log = await openLogOn(t, server, patient);
  await put(log, 'survey-1', 'no-stream', newEvents(3));
  const followers = Array.from({ length: 60 }, () => new Follower(log));
  for (const follower of followers) await follower.until(() => follower.seen.length === 3);
  const readers = Array.from({ length: 110 }, () => log.readStream('survey-1')[Symbol.asyncIterator]());
  for (const reader of readers) await reader.next();
  const streams = Array.from({ length: 60 }, (_, n) => `data-${n}`);
  await Promise.all(streams.map((stream) => put(log, stream, 'no-stream', [newEvent()])));
  await Promise.all(streams.map((stream) => log.readLast(stream)));
  for (const follower of followers) await follower.until(() => follower.seen.length === 63);
  t.equal(
    followers.reduce((sum, { outages }) => sum + outages, 0),
    0,
  );
  for (const reader of readers) await reader.return?.();
  await Promise.all(followers.map((follower) => follower.stop()));
});

tap.test(
  'a subscription more than there is room for is refused, and takes nothing from the others',
  async (t) => {
    const log = await openLogOn(t, server, patient);
    await put(log, 'survey-1', 'no-stream', newEvents(1));
    const followers = Array.from({ length: 80 }, () => new Follower(log));
    for (const follower of followers) await follower.until(() => follower.seen.length === 1);
    const { signal } = new AbortController();
    const oneMore = () => log.subscribeToAll({ after: undefined, signal })[Symbol.asyncIterator]().next();
    const message = '80 subscriptions are open on this event log; there is no room for more';
    await t.rejects(oneMore(), { name: 'EventLogUnavailable', message });
    t.ok(await log.lastPosition(), 'the end of the log is known all the same');
    const { position } = await put(log, 'survey-1', 0, newEvents(1));
    t.equal(await log.lastPosition(), position);
    for (const follower of followers) await follower.until(() => follower.seen.length === 2);
    await followers[0]?.stop();
    t.match(await oneMore(), { value: { kind: 'event' } }, 'one that has ended leaves its room');
    await Promise.all(followers.map((follower) => follower.stop()));
  },
);
