import { streamNameFilter, type EventStoreDBClient, type Position } from '@eventstore/db-client';
import tap from 'tap';
import { collect, failing, put, scavenge, startServer } from './eventstoredb-stand-in.support.js';

const at = (commit: bigint): Position => ({ commit, prepare: commit });
const own = streamNameFilter({ regex: '^(?!\\$)' });

/** What a subscription to everything delivers until it has caught up. */
async function behind(client: EventStoreDBClient, position: bigint): Promise<string[]> {
  const subscription = client.subscribeToAll({ fromPosition: at(position), filter: own });
  const places: string[] = [];
  (subscription as NodeJS.EventEmitter).on('caughtUp', () => void subscription.unsubscribe());
  for await (const { event } of subscription) places.push(`${event?.streamId}@${event?.revision}`);
  return places;
}

async function everything(client: EventStoreDBClient): Promise<string[]> {
  const all = await collect(client.readAll());
  return all
    .filter(({ event }) => event?.streamId.startsWith('$') === false)
    .map(({ event }) => `${event?.streamId}@${event?.revision}`);
}

const TOMBSTONE = 'gone@9223372036854775807';

tap.test('a scavenge takes a deleted stream away', async (t) => {
  const fixture = await startServer(t);
  const { client, server } = fixture;
  await put(client, 'a', 'no_stream');
  const { position } = await put(client, 'gone', 'no_stream', 2);
  await put(client, 'b', 'no_stream');
  await put(client, 'b', 0n);
  await client.tombstoneStream('gone');
  t.strictSame(await behind(client, position), ['b@0', 'b@1', TOMBSTONE], 'before it nothing is lost');
  await scavenge(fixture);
  for (const when of ['then', 'after a restart']) {
    t.strictSame(await everything(client), ['a@0', 'b@0', 'b@1', TOMBSTONE], when);
    t.strictSame(
      await behind(client, position),
      ['b@1', TOMBSTONE],
      'the next one that is left is passed over',
    );
    const forwards = await collect(client.readAll({ fromPosition: at(position), maxCount: 1 }));
    t.equal(forwards[0]?.event?.streamId, 'b', 'a read finds it');
    const [before] = await collect(
      client.readAll({ fromPosition: at(position), direction: 'backwards', maxCount: 1 }),
    );
    t.equal(before?.event?.streamId, 'a');
    t.match(await failing(client.readStream('gone')), { type: 'stream-deleted' });
    await server.restart();
  }
});

tap.test('the next position lies in the next chunk', async (t) => {
  const fixture = await startServer(t);
  const { client, server } = fixture;
  await put(client, 'a', 'no_stream', 3);
  await scavenge(fixture);
  const next = await put(client, 'a', 2n);
  t.equal(next.position, 268_436_379n);
  await scavenge(fixture);
  await server.restart();
  const last = await put(client, 'a', 3n);
  t.equal(last.position, 536_871_835n);
  const positions = (await collect(client.readAll())).map(({ event }) => event?.position.commit ?? -1n);
  t.strictSame(positions.slice(-2), [next.position, last.position]);
  t.strictSame(await behind(client, next.position), ['a@4']);
});

tap.test('of a shortened stream a scavenge leaves the last event', async (t) => {
  const fixture = await startServer(t);
  const { client, server } = fixture;
  await put(client, 'few', 'no_stream', 5);
  await client.setStreamMetadata('few', { maxCount: 2 });
  await client.setStreamMetadata('few', { maxCount: 3 });
  await put(client, 'late', 'no_stream', 4);
  await client.setStreamMetadata('late', { truncateBefore: 3 });
  await put(client, 'none', 'no_stream', 3);
  await client.deleteStream('none');
  const before = await everything(client);
  t.equal(before.length, 12, 'metadata hides nothing in $all');
  await scavenge(fixture);
  t.strictSame(await everything(client), ['few@2', 'few@3', 'few@4', 'late@3', 'none@2']);
  await server.restart();
  t.equal((await collect(client.readStream('$$few'))).length, 1);
  t.strictSame(
    (await collect(client.readStream('few'))).map(({ event }) => event?.revision),
    [2n, 3n, 4n],
  );
  t.equal((await put(client, 'none', 'no_stream')).revision, 3n, 'the numbering goes on');
  t.strictSame(
    (await collect(client.readStream('none'))).map(({ event }) => event?.revision),
    [3n],
  );
  const heard: string[] = [];
  const subscription = client.subscribeToStream('few');
  (subscription as NodeJS.EventEmitter).on('caughtUp', () => void subscription.unsubscribe());
  for await (const { event } of subscription) heard.push(String(event?.revision));
  t.strictSame(heard, ['2', '3', '4']);
});
