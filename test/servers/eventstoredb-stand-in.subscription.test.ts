import { once } from 'node:events';
import {
  eventTypeFilter,
  excludeSystemEvents,
  streamNameFilter,
  type AllStreamSubscription,
  type EventStoreDBClient,
  type Position,
  type StreamSubscription,
  type SubscribeToAllOptions,
} from '@eventstore/db-client';
import tap, { type Test } from 'tap';
import { until } from '../support/until.js';
import {
  collect,
  event,
  failing,
  put,
  startServer,
  type Fixture,
  type Told,
} from './eventstoredb-stand-in.support.js';

type Subscription = AllStreamSubscription | StreamSubscription;

/** Everything that a subscription says of a test's streams, in order, as words. */
function listen(subscription: Subscription, of: Fixture['of']): string[] {
  const heard: string[] = [];
  subscription.on('confirmation', () => heard.push('confirmed'));
  (subscription as NodeJS.EventEmitter).on('caughtUp', () => heard.push('caught up'));
  subscription.on('data', ({ event }) => {
    if (event?.streamId.startsWith(of('')) !== true) return;
    heard.push(`${event.streamId.slice(of('').length)}@${event.revision}`);
  });
  subscription.on('error', (error: Told) => heard.push(`${error.type} ${error.code}`));
  subscription.on('end', () => heard.push('end'));
  return heard;
}

async function untilHeard(heard: readonly string[], what: string): Promise<void> {
  await until(`${what} is heard`, () => heard.includes(what), { everyMs: 1 });
}

async function commits(client: EventStoreDBClient, fromPosition: Position): Promise<bigint[]> {
  return (await collect(client.readAll({ fromPosition }))).map(({ event }) => event?.position.commit ?? -1n);
}

tap.test('to a stream', async (t) => {
  const { client, of } = await startServer(t);
  await put(client, of('a'), 'no_stream', 3);
  const follow = async (fromRevision: bigint | 'start' | 'end', word: string) => {
    const subscription = client.subscribeToStream(of('a'), { fromRevision });
    const heard = listen(subscription, of);
    await untilHeard(heard, word);
    return { heard, subscription };
  };
  t.strictSame((await follow('start', 'caught up')).heard, ['confirmed', 'a@0', 'a@1', 'a@2', 'caught up']);
  t.strictSame((await follow(1n, 'caught up')).heard, ['confirmed', 'a@2', 'caught up'], 'exclusive');
  const { heard, subscription } = await follow('end', 'caught up');
  t.strictSame(heard, ['confirmed', 'caught up']);
  const far = await follow(3n, 'caught up');
  await put(client, of('a'), 2n);
  await put(client, of('a'), 3n);
  await untilHeard(heard, 'a@4');
  t.strictSame(heard.slice(2), ['a@3', 'a@4']);
  await untilHeard(far.heard, 'a@4');
  t.notOk(far.heard.includes('a@3'), 'never those before the place that was asked for');
  await subscription.unsubscribe();
  await untilHeard(heard, 'end');
});

tap.test('to a stream that does not exist, and to one that is deleted', async (t) => {
  const { client, of } = await startServer(t);
  const heard = listen(client.subscribeToStream(of('a')), of);
  await untilHeard(heard, 'confirmed');
  await put(client, of('b'), 'no_stream');
  t.strictSame(heard, ['confirmed'], 'no end before the first event');
  await put(client, of('a'), 'no_stream');
  await untilHeard(heard, 'caught up');
  t.strictSame(heard, ['confirmed', 'a@0', 'caught up']);
  await client.tombstoneStream(of('a'));
  await untilHeard(heard, 'stream-deleted 9');
  t.strictSame(heard.slice(3), ['a@9223372036854775807', 'stream-deleted 9']);
  const late = listen(client.subscribeToStream(of('a')), of);
  await untilHeard(late, 'stream-deleted 9');
  t.strictSame(late, ['stream-deleted 9'], 'not confirmed');
});

tap.test('to everything', async (t) => {
  const { client, of } = await startServer(t);
  const { position } = await put(client, of('a'), 'no_stream', 2);
  await put(client, of('b'), 'no_stream');
  const follow = async (fromPosition: Position | 'start' | 'end') => {
    const heard = listen(client.subscribeToAll({ fromPosition }), of);
    await untilHeard(heard, 'caught up');
    return heard;
  };
  t.strictSame(await follow('start'), ['confirmed', 'a@0', 'a@1', 'b@0', 'caught up']);
  t.strictSame(await follow({ commit: position, prepare: position }), ['confirmed', 'b@0', 'caught up']);
  const end = await follow('end');
  const past = await follow({ commit: 1n << 40n, prepare: 1n << 40n });
  t.strictSame(
    [end, past],
    [
      ['confirmed', 'caught up'],
      ['confirmed', 'caught up'],
    ],
  );
  await put(client, of('c'), 'no_stream');
  await untilHeard(end, 'c@0');
  await untilHeard(past, 'c@0');
  const thrown = { message: '2 UNKNOWN: Exception was thrown by handler.' };
  const between = { commit: position + 1n, prepare: position + 1n };
  t.match(await failing(client.subscribeToAll({ fromPosition: between })), thrown);
  t.match(await failing(client.subscribeToAll({ filter: streamNameFilter({ regex: '(' }) })), thrown);
});

tap.test('filters and checkpoints', async (t) => {
  const { client, of } = await startServer(t);
  const marker = await put(client, of('marker'), 'no_stream');
  await put(client, of('red'), 'no_stream', 2);
  await put(client, of('blue'), 'no_stream', 100);
  const checkpoints: Position[] = [];
  const checkpointReached = (_: unknown, position: Position): void => void checkpoints.push(position);
  const filter = streamNameFilter({ prefixes: [of('red')], checkpointReached });
  const start = { commit: marker.position, prepare: marker.position };
  const heard = listen(client.subscribeToAll({ filter, fromPosition: start }), of);
  await untilHeard(heard, 'caught up');
  t.strictSame(heard, ['confirmed', 'red@0', 'red@1', 'caught up']);
  const known = await commits(client, start);
  t.equal(checkpoints.length, 3, 'one after every 32 events that were looked at');
  const [, , lastMatch = -1n] = known; // marker, red, red
  t.strictSame(checkpoints[0], { commit: lastMatch, prepare: lastMatch }, 'first the last match of the page');
  t.ok(checkpoints.slice(1).every(({ commit, prepare }) => prepare === 0n && known.includes(commit)));
  await put(client, of('blue'), 99n, 20);
  await put(client, of('blue'), 119n, 20);
  await put(client, of('red'), 1n);
  await untilHeard(heard, 'red@2');
  t.equal(checkpoints.length, 4);
  const resumed = listen(client.subscribeToAll({ fromPosition: checkpoints[3] ?? 'start', filter }), of);
  await untilHeard(resumed, 'caught up');
  t.strictSame(resumed, ['confirmed', 'red@2', 'caught up']);

  const only = async (chosen: NonNullable<SubscribeToAllOptions['filter']>) => {
    const found = listen(client.subscribeToAll({ filter: chosen, fromPosition: start }), of);
    await untilHeard(found, 'caught up');
    return new Set(found.slice(1, -1).map((word) => word.split('@')[0]));
  };
  t.strictSame(await only(excludeSystemEvents()), new Set(['red', 'blue']));
  t.strictSame(await only(eventTypeFilter({ prefixes: ['Something'] })), new Set(['red', 'blue']));
  t.strictSame(await only(eventTypeFilter({ prefixes: ['$metadata'] })), new Set());
  t.strictSame(await only(streamNameFilter({ regex: `^(?!\\$|${of('blue')})` })), new Set(['red']));
});

const tooSlow = {
  type: 'timeout',
  code: 10,
  message:
    '10 ABORTED: Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
};

tap.test('a live subscription that is more than 32 events behind is given up', async (t) => {
  const { client, of } = await startServer(t);
  const subscription = client.subscribeToAll({ fromPosition: 'end' });
  await once(subscription.resume(), 'caughtUp');
  await put(client, of('a'), 'no_stream', 32);
  const dropped = once(subscription, 'error') as Promise<[Told]>;
  await put(client, of('a'), 31n, 200);
  t.match((await dropped)[0], tooSlow);
  t.notOk(subscription.destroyed, 'and the client does nothing about it');
});

tap.test('while it catches up it may be as slow as it likes', async (t) => {
  const { client, of } = await startServer(t);
  // Far more than the connection holds: whoever is at the 100th is still catching up.
  const filler = 'x'.repeat(10_000);
  for (let at = 0; at < 300; at += 50) {
    const expectedRevision = at === 0 ? 'no_stream' : BigInt(at - 1);
    const large = Array.from({ length: 50 }, () => event(undefined, { filler }));
    await client.appendToStream(of('a'), large, { expectedRevision });
  }
  const heard: string[] = [];
  const subscription = client.subscribeToStream(of('a'));
  (subscription as NodeJS.EventEmitter).on('caughtUp', () => heard.push('caught up'));
  for await (const { event } of subscription) {
    heard.push(String(event?.revision));
    if (heard.length === 100) await put(client, of('a'), 299n, 200);
    if (heard.length === 500) break;
  }
  t.strictSame(
    heard,
    Array.from({ length: 500 }, (_, n) => String(n)),
  );
});

tap.test('dispose ends every subscription without an error', async (t: Test) => {
  const { client, of } = await startServer(t);
  const heard = listen(client.subscribeToAll(), of);
  await untilHeard(heard, 'caught up');
  await client.dispose();
  await untilHeard(heard, 'end');
  t.equal(heard.at(-1), 'end');
});
