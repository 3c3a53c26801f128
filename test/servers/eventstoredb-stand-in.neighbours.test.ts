import { streamNameFilter, type EventStoreDBClient, type Position } from '@eventstore/db-client';
import tap from 'tap';
import { collect, neighbours, put, startStandIn } from './eventstoredb-stand-in.support.js';

/** Which streams' events come behind a place until the end, the checkpoints on the way, and how long it took. */
async function scan(client: EventStoreDBClient, fromPosition: Position | 'start') {
  const begun = performance.now();
  const checkpoints: bigint[] = [];
  const filter = streamNameFilter({
    prefixes: ['own-'],
    checkpointReached: (_subscription, { commit }) => void checkpoints.push(commit),
  });
  const subscription = client.subscribeToAll({ fromPosition, filter });
  const streams: (string | undefined)[] = [];
  subscription.on('data', ({ event }) => streams.push(event?.streamId));
  await new Promise((resolve) => (subscription as NodeJS.EventEmitter).once('caughtUp', resolve));
  await subscription.unsubscribe();
  return { streams, checkpoints, took: performance.now() - begun };
}

tap.test('events that stand for many are passed at the rate of a real server', async (t) => {
  const { server, client } = await startStandIn(t);
  await put(client, 'own-1', 'no_stream');
  await client.appendToStream('others', neighbours(300_000));
  await put(client, 'own-2', 'no_stream');
  const whole = await scan(client, 'start');
  t.strictSame(whole.streams, ['own-1', 'own-2']);
  t.equal(whole.checkpoints.length, 300, 'one for each thousand');
  t.strictSame(
    [...whole.checkpoints].sort((one, other) => Number(one - other)),
    whole.checkpoints,
  );
  t.ok(whole.took > 240, `300,000 took ${whole.took} ms`);

  await server.restart();
  const commit = whole.checkpoints[250] ?? 0n;
  const rest = await scan(client, { commit, prepare: 0n });
  t.strictSame(rest.streams, ['own-2']);
  t.equal(rest.checkpoints.length, 49, 'only what stands behind the checkpoint is passed again');
  const all = await collect(client.readAll());
  t.equal(all.filter(({ event }) => event?.streamId === 'others').length, 1);
  t.ok(
    (all.at(-2)?.commitPosition ?? 0n) >= (whole.checkpoints.at(-1) ?? 0n),
    'its last position is its own',
  );
});
