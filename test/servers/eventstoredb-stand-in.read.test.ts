import tap from 'tap';
import { binaryEvent, jsonEvent, type ReadStreamOptions } from '@eventstore/db-client';
import { collect, failing, put, startServer } from './eventstoredb-stand-in.support.js';

tap.test('an event comes back', async (t) => {
  const { client } = await startServer(t);
  const before = Date.now();
  await client.appendToStream('a', [
    jsonEvent({ type: 'Json', data: { ä: 1 }, metadata: { by: 'me' } }),
    binaryEvent({ type: 'Binary', data: Buffer.from([0, 255]), metadata: Buffer.from([1]) }),
    jsonEvent({ type: 'Bare', data: 5 as never }),
  ]);
  const stored = (await collect(client.readStream('a'))).map(({ event: { created, ...event } = {} }) => {
    t.ok((created?.getTime() ?? 0) >= before);
    return event;
  });
  t.match(stored, [
    { streamId: 'a', revision: 0n, type: 'Json', data: { ä: 1 }, metadata: { by: 'me' }, isJson: true },
    { data: new Uint8Array([0, 255]), metadata: new Uint8Array([1]), isJson: false },
    { data: 5, metadata: undefined },
  ]);
});

tap.test('reading a stream', async (t) => {
  const { client } = await startServer(t);
  await put(client, 'a', 'no_stream', 5);
  const revisions = async (options: ReadStreamOptions) =>
    (await collect(client.readStream('a', options))).map(({ event }) => Number(event?.revision));
  t.strictSame(await revisions({}), [0, 1, 2, 3, 4]);
  t.strictSame(await revisions({ fromRevision: 3n }), [3, 4], 'inclusive');
  t.strictSame(await revisions({ fromRevision: 9n }), [], 'past the end');
  t.strictSame(await revisions({ direction: 'backwards', fromRevision: 'end', maxCount: 2 }), [4, 3]);
  t.strictSame(await revisions({ direction: 'backwards', fromRevision: 99n, maxCount: 1 }), [4]);
  t.strictSame(await revisions({ direction: 'backwards' }), [0], 'from the start');
  const nothing = { type: 'unknown', message: '2 UNKNOWN: Unexpected ReadStreamResult: Error' };
  t.match(await failing(client.readStream('a', { fromRevision: 'end' })), nothing);
  t.match(await failing(client.readStream('a', { maxCount: 0 })), nothing);
  t.match(await failing(client.readStream('b')), {
    type: 'stream-not-found',
    streamName: 'b',
    message: 'b not found',
    code: undefined,
  });
  await client.tombstoneStream('a');
  t.match(await failing(client.readStream('a')), {
    type: 'stream-deleted',
    code: 9,
    streamName: 'a',
    message: "9 FAILED_PRECONDITION: Event stream 'a' is deleted.",
  });
});

tap.test('reading everything', async (t) => {
  const { client } = await startServer(t);
  const { position } = await put(client, 'a', 'no_stream', 2);
  const last = await put(client, 'b', 'no_stream', 1);
  const all = await collect(client.readAll());
  t.strictSame(
    all.map(({ event }) => `${event?.streamId}@${event?.revision}`),
    ['$$$scavenges@0', 'a@0', 'a@1', 'b@0'],
  );
  t.strictSame(all[0]?.event?.position, { commit: 548n, prepare: 548n });
  const places = async (direction: 'forwards' | 'backwards', commit: bigint, prepare = commit) =>
    (await collect(client.readAll({ direction, fromPosition: { commit, prepare } }))).length;
  t.equal(await places('forwards', position), 2, 'inclusive');
  t.equal(await places('forwards', position, 0n), 2);
  t.equal(await places('backwards', position), 2, 'exclusive');
  t.equal(await places('forwards', last.position + 999n), 0, 'past the end');
  const newest = await collect(client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 }));
  t.equal(newest[0]?.event?.streamId, 'b');
  const from = (commit: bigint, prepare: bigint) =>
    failing(client.readAll({ fromPosition: { commit, prepare } }));
  t.match(await from(position + 1n, position + 1n), {
    message: '2 UNKNOWN: Unexpected ReadAllResult: Error',
  });
  t.match(await from(position, position + 1n), { message: '2 UNKNOWN: Exception was thrown by handler.' });
  await client.tombstoneStream('a');
  const tombstone = (await collect(client.readAll())).at(-1)?.event;
  t.match(tombstone, { streamId: 'a', type: '$streamDeleted', revision: 9223372036854775807n });
  t.equal((await collect(client.readAll())).length, 5, 'nothing is scavenged');
});

tap.test('what was written is there for another client, and after a restart', async (t) => {
  const { client, server } = await startServer(t);
  for (let n = 0; n < 20; n++) {
    const { position } = await put(client, 'a', n === 0 ? 'no_stream' : BigInt(n - 1));
    const [newest] = await collect(
      client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 }),
    );
    t.equal(newest?.event?.position.commit, position);
  }
  const before = await collect(client.readAll());
  await server.restart();
  t.strictSame(await collect(client.readAll()), before);
  t.equal((await put(client, 'a', 19n)).revision, 20n);
});
