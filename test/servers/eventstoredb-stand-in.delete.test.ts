import tap from 'tap';
import { collect, event, failing, put, RESTARTS, startServer } from './eventstoredb-stand-in.support.js';

tap.test('a soft deletion', async (t) => {
  const { client, of } = await startServer(t);
  await put(client, of('a'), 'no_stream', 2);
  t.ok((await client.deleteStream(of('a'))).position);
  t.equal((await failing(client.readStream(of('a')))).type, 'stream-not-found');
  t.equal((await client.getStreamMetadata(of('a'))).metadata?.truncateBefore, 9223372036854776000);
  t.ok((await client.deleteStream(of('a'))).position, 'again');
  t.match(await failing(client.appendToStream(of('a'), event(), { expectedRevision: 'stream_exists' })), {
    type: 'stream-deleted',
  });
  t.match(await failing(client.appendToStream(of('a'), event(), { expectedRevision: 0n })), {
    actualVersion: 1n,
  });
  t.equal((await put(client, of('a'), 'no_stream')).revision, 2n, 'the numbering goes on');
  t.equal((await client.getStreamMetadata(of('a'))).metadata?.truncateBefore, 2);
  t.strictSame(
    (await collect(client.readStream(of('a')))).map((read) => read.event?.revision),
    [2n],
  );
  t.match(await failing(client.deleteStream(of('missing'))), {
    type: 'wrong-expected-version',
    expectedVersion: -2n,
    actualVersion: -1n,
  });
});

tap.test('a soft deletion is taken back by the second write of metadata', async (t) => {
  const { client, of } = await startServer(t);
  await put(client, of('a'), 'no_stream', 4);
  await client.deleteStream(of('a'));
  await client.setStreamMetadata(of('a'), {});
  t.equal(
    (await client.getStreamMetadata(of('a'))).metadata?.truncateBefore,
    4,
    'the server wrote behind it',
  );
  t.strictSame(await collect(client.readStream(of('a'))), []);
  await client.setStreamMetadata(of('a'), {});
  t.strictSame(
    (await collect(client.readStream(of('a')))).map((read) => read.event?.revision),
    [0n, 1n, 2n, 3n],
  );
});

tap.test('a tombstone', async (t) => {
  const { client, server, of } = await startServer(t);
  await put(client, of('a'), 'no_stream', 3);
  t.match(await failing(client.tombstoneStream(of('a'), { expectedRevision: 0n })), {
    type: 'wrong-expected-version',
    code: 9,
    message:
      '9 FAILED_PRECONDITION: Delete failed due to WrongExpectedVersion. Stream: ' +
      `${of('a')}, Expected version: 0, Actual version: 2`,
    expectedVersion: 0n,
    actualVersion: 2n,
  });
  t.ok((await client.tombstoneStream(of('a'))).position);
  t.ok((await client.tombstoneStream(of('missing'))).position, 'also of a stream that never was');
  for (const after of ['before a restart', 'after it']) {
    for (const stream of [of('a'), of('missing')]) {
      const refused = { type: 'stream-deleted', streamName: stream };
      t.match(await failing(client.appendToStream(stream, event())), refused, after);
      t.match(await failing(client.deleteStream(stream)), refused);
      t.match(await failing(client.tombstoneStream(stream)), refused);
      t.match(await failing(client.getStreamMetadata(stream)), { streamName: `$$${stream}` });
      t.match(await failing(client.setStreamMetadata(stream, {})), { streamName: `$$${stream}` });
    }
    if (RESTARTS.skip === false) await server.restart();
  }
});

tap.test('metadata hides events', async (t) => {
  const { client, of } = await startServer(t);
  await put(client, of('a'), 'no_stream', 10);
  const revisions = async (fromRevision = 0n) =>
    (await collect(client.readStream(of('a'), { fromRevision }))).map((read) => Number(read.event?.revision));
  t.strictSame(await client.getStreamMetadata(of('a')), { streamName: of('a') });
  const set = await client.setStreamMetadata(of('a'), { maxCount: 3 });
  t.equal(set.nextExpectedRevision, 0n);
  t.strictSame(await revisions(), [7, 8, 9]);
  await client.setStreamMetadata(of('a'), { truncateBefore: 8 });
  t.strictSame(await revisions(2n), [8, 9], 'the whole metadata is replaced');
  await client.setStreamMetadata(of('a'), { truncateBefore: 99 });
  t.strictSame(await revisions(), [], 'the stream is still there');
  t.match(await failing(client.appendToStream(of('a'), event(), { expectedRevision: 'no_stream' })), {
    actualVersion: 9n,
  });
  t.equal((await put(client, of('a'), 9n)).revision, 10n);
  t.equal((await collect(client.readStream(`$$${of('a')}`))).length, 1);
  t.match(await failing(client.setStreamMetadata(of('a'), {}, { expectedRevision: 0n })), {
    streamName: `$$${of('a')}`,
  });
});
