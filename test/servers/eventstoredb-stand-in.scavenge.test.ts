import { streamNameFilter, type Position } from '@eventstore/db-client';
import tap from 'tap';
import {
  collect,
  failing,
  put,
  RESTARTS,
  scavenge,
  STAND_IN_ONLY,
  startServer,
  type Fixture,
} from './eventstoredb-stand-in.support.js';

const at = (commit: bigint): Position => ({ commit, prepare: commit });

const placeOf = (event: { streamId: string; revision: bigint } | undefined, of: Fixture['of']): string =>
  `${event?.streamId.slice(of('').length)}@${event?.revision}`;

/** What a subscription to everything delivers until it has caught up. */
async function behind({ client, of }: Fixture, position: bigint): Promise<string[]> {
  const subscription = client.subscribeToAll({
    fromPosition: at(position),
    filter: streamNameFilter({ prefixes: [of('')] }),
  });
  const places: string[] = [];
  (subscription as NodeJS.EventEmitter).on('caughtUp', () => void subscription.unsubscribe());
  for await (const { event } of subscription) places.push(placeOf(event, of));
  return places;
}

async function everything({ client, of }: Fixture): Promise<string[]> {
  const all = await collect(client.readAll());
  return all
    .filter(({ event }) => event?.streamId.startsWith(of('')) === true)
    .map(({ event }) => placeOf(event, of));
}

const TOMBSTONE = 'gone@9223372036854775807';

tap.test('a scavenge takes a deleted stream away', async (t) => {
  const fixture = await startServer(t);
  const { client, server, of } = fixture;
  await put(client, of('a'), 'no_stream');
  const { position } = await put(client, of('gone'), 'no_stream', 2);
  await put(client, of('b'), 'no_stream');
  await put(client, of('b'), 0n);
  await client.tombstoneStream(of('gone'));
  t.strictSame(await behind(fixture, position), ['b@0', 'b@1', TOMBSTONE], 'before it nothing is lost');
  await scavenge(fixture);
  for (const when of ['then', 'after a restart']) {
    t.strictSame(await everything(fixture), ['a@0', 'b@0', 'b@1', TOMBSTONE], when);
    t.strictSame(
      await behind(fixture, position),
      ['b@1', TOMBSTONE],
      'the next one that is left is passed over',
    );
    const forwards = await collect(client.readAll({ fromPosition: at(position), maxCount: 1 }));
    t.equal(forwards[0]?.event?.streamId, of('b'), 'a read finds it');
    const [before] = await collect(
      client.readAll({ fromPosition: at(position), direction: 'backwards', maxCount: 1 }),
    );
    t.equal(before?.event?.streamId, of('a'));
    t.match(await failing(client.readStream(of('gone'))), { type: 'stream-deleted' });
    if (RESTARTS.skip === false) await server.restart();
  }
});

tap.test('the next position lies in the next chunk', STAND_IN_ONLY, async (t) => {
  const fixture = await startServer(t);
  const { client, server, of } = fixture;
  await put(client, of('a'), 'no_stream', 3);
  await scavenge(fixture);
  const next = await put(client, of('a'), 2n);
  t.equal(next.position, 268_436_379n);
  await scavenge(fixture);
  await server.restart();
  const last = await put(client, of('a'), 3n);
  t.equal(last.position, 536_871_835n);
  const positions = (await collect(client.readStream(of('a')))).map(
    ({ event }) => event?.position?.commit ?? -1n,
  );
  t.strictSame(positions.slice(-2), [next.position, last.position]);
  t.strictSame(await behind(fixture, next.position), ['a@4']);
});

tap.test('of a shortened stream a scavenge leaves the last event', async (t) => {
  const fixture = await startServer(t);
  const { client, server, of } = fixture;
  await put(client, of('few'), 'no_stream', 5);
  await client.setStreamMetadata(of('few'), { maxCount: 2 });
  await client.setStreamMetadata(of('few'), { maxCount: 3 });
  await put(client, of('late'), 'no_stream', 4);
  await client.setStreamMetadata(of('late'), { truncateBefore: 3 });
  await put(client, of('none'), 'no_stream', 3);
  await client.deleteStream(of('none'));
  const before = await everything(fixture);
  t.equal(before.length, 12, 'metadata hides nothing in $all');
  await scavenge(fixture);
  t.strictSame(await everything(fixture), ['few@2', 'few@3', 'few@4', 'late@3', 'none@2']);
  if (RESTARTS.skip === false) await server.restart();
  t.equal((await collect(client.readStream(`$$${of('few')}`))).length, 1);
  t.strictSame(
    (await collect(client.readStream(of('few')))).map(({ event }) => event?.revision),
    [2n, 3n, 4n],
  );
  t.equal((await put(client, of('none'), 'no_stream')).revision, 3n, 'the numbering goes on');
  t.strictSame(
    (await collect(client.readStream(of('none')))).map(({ event }) => event?.revision),
    [3n],
  );
  const heard: string[] = [];
  const subscription = client.subscribeToStream(of('few'));
  (subscription as NodeJS.EventEmitter).on('caughtUp', () => void subscription.unsubscribe());
  for await (const { event } of subscription) heard.push(String(event?.revision));
  t.strictSame(heard, ['2', '3', '4']);
});
