import tap from 'tap';
import { collect, event, failing, put, startServer } from './eventstoredb-stand-in.support.js';

tap.test('a soft deletion', async (t) => {
  const { client } = await startServer(t);
  await put(client, 'a', 'no_stream', 2);
  t.ok((await client.deleteStream('a')).position);
  t.equal((await failing(client.readStream('a'))).type, 'stream-not-found');
  t.equal((await client.getStreamMetadata('a')).metadata?.truncateBefore, 9223372036854776000);
  t.ok((await client.deleteStream('a')).position, 'again');
  t.match(await failing(client.appendToStream('a', event(), { expectedRevision: 'stream_exists' })), {
    type: 'stream-deleted',
  });
  t.match(await failing(client.appendToStream('a', event(), { expectedRevision: 0n })), {
    actualVersion: 1n,
  });
  t.equal((await put(client, 'a', 'no_stream')).revision, 2n, 'the numbering goes on');
  t.equal((await client.getStreamMetadata('a')).metadata?.truncateBefore, 2);
  t.strictSame(
    (await collect(client.readStream('a'))).map((read) => read.event?.revision),
    [2n],
  );
  t.match(await failing(client.deleteStream('missing')), {
    type: 'wrong-expected-version',
    expectedVersion: -2n,
    actualVersion: -1n,
  });
});

tap.test('a tombstone', async (t) => {
  const { client, server } = await startServer(t);
  await put(client, 'a', 'no_stream', 3);
  t.match(await failing(client.tombstoneStream('a', { expectedRevision: 0n })), {
    type: 'wrong-expected-version',
    code: 9,
    message:
      '9 FAILED_PRECONDITION: Delete failed due to WrongExpectedVersion. Stream: a, Expected version: 0, Actual version: 2',
    expectedVersion: 0n,
    actualVersion: 2n,
  });
  t.ok((await client.tombstoneStream('a')).position);
  t.ok((await client.tombstoneStream('missing')).position, 'also of a stream that never was');
  for (const after of ['before a restart', 'after it']) {
    for (const stream of ['a', 'missing']) {
      const refused = { type: 'stream-deleted', streamName: stream };
      t.match(await failing(client.appendToStream(stream, event())), refused, after);
      t.match(await failing(client.deleteStream(stream)), refused);
      t.match(await failing(client.tombstoneStream(stream)), refused);
      t.match(await failing(client.getStreamMetadata(stream)), { streamName: `$$${stream}` });
      t.match(await failing(client.setStreamMetadata(stream, {})), { streamName: `$$${stream}` });
    }
    await server.restart();
  }
});

tap.test('metadata hides events', async (t) => {
  const { client } = await startServer(t);
  await put(client, 'a', 'no_stream', 10);
  const revisions = async (fromRevision = 0n) =>
    (await collect(client.readStream('a', { fromRevision }))).map((read) => Number(read.event?.revision));
  t.strictSame(await client.getStreamMetadata('a'), { streamName: 'a' });
  const set = await client.setStreamMetadata('a', { maxCount: 3 });
  t.equal(set.nextExpectedRevision, 0n);
  t.strictSame(await revisions(), [7, 8, 9]);
  await client.setStreamMetadata('a', { truncateBefore: 8 });
  t.strictSame(await revisions(2n), [8, 9], 'the whole metadata is replaced');
  await client.setStreamMetadata('a', { truncateBefore: 99 });
  t.strictSame(await revisions(), [], 'the stream is still there');
  t.match(await failing(client.appendToStream('a', event(), { expectedRevision: 'no_stream' })), {
    actualVersion: 9n,
  });
  t.equal((await put(client, 'a', 9n)).revision, 10n);
  t.equal((await collect(client.readStream('$$a'))).length, 1);
  t.match(await failing(client.setStreamMetadata('a', {}, { expectedRevision: 0n })), { streamName: '$$a' });
});
