import tap from 'tap';
import { binaryEvent, jsonEvent, type ReadStreamOptions } from '@eventstore/db-client';
import {
  collect,
  failing,
  put,
  RESTARTS,
  STAND_IN_ONLY,
  startServer,
} from './eventstoredb-stand-in.support.js';
import { exactly } from '../support/exactly.js';

tap.test('an event comes back', async (t) => {
  const { client, of } = await startServer(t);
  const before = Date.now();
  await client.appendToStream(of('a'), [
    jsonEvent({ type: 'Json', data: { ä: 1 }, metadata: { by: 'me' } }),
    binaryEvent({ type: 'Binary', data: Buffer.from([0, 255]), metadata: Buffer.from([1]) }),
    jsonEvent({ type: 'Bare', data: 5 as never }),
  ]);
  const stored = (await collect(client.readStream(of('a')))).map(({ event: { created, ...event } = {} }) => {
    t.ok((created?.getTime() ?? 0) >= before);
    return event;
  });
  t.match(
    stored,
    exactly([
      { streamId: of('a'), revision: 0n, type: 'Json', data: { ä: 1 }, metadata: { by: 'me' }, isJson: true },
      { data: new Uint8Array([0, 255]), metadata: new Uint8Array([1]), isJson: false },
      { data: 5, metadata: undefined },
    ]),
  );
});

tap.test('reading a stream', async (t) => {
  const { client, of } = await startServer(t);
  await put(client, of('a'), 'no_stream', 5);
  const revisions = async (options: ReadStreamOptions) =>
    (await collect(client.readStream(of('a'), options))).map(({ event }) => Number(event?.revision));
  t.strictSame(await revisions({}), [0, 1, 2, 3, 4]);
  t.strictSame(await revisions({ fromRevision: 3n }), [3, 4], 'inclusive');
  t.strictSame(await revisions({ fromRevision: 9n }), [], 'past the end');
  t.strictSame(await revisions({ direction: 'backwards', fromRevision: 'end', maxCount: 2 }), [4, 3]);
  t.strictSame(await revisions({ direction: 'backwards', fromRevision: 99n, maxCount: 1 }), [4]);
  t.strictSame(await revisions({ direction: 'backwards' }), [0], 'from the start');
  const nothing = { type: 'unknown', message: '2 UNKNOWN: Unexpected ReadStreamResult: Error' };
  t.match(await failing(client.readStream(of('a'), { fromRevision: 'end' })), nothing);
  t.match(await failing(client.readStream(of('a'), { maxCount: 0 })), nothing);
  t.match(await failing(client.readStream(of('b'))), {
    type: 'stream-not-found',
    streamName: of('b'),
    message: `${of('b')} not found`,
    code: undefined,
  });
  await client.tombstoneStream(of('a'));
  t.match(await failing(client.readStream(of('a'))), {
    type: 'stream-deleted',
    code: 9,
    streamName: of('a'),
    message: `9 FAILED_PRECONDITION: Event stream '${of('a')}' is deleted.`,
  });
});

tap.test('reading everything', async (t) => {
  const { client, of } = await startServer(t);
  const { position } = await put(client, of('a'), 'no_stream', 2);
  const last = await put(client, of('b'), 'no_stream', 1);
  const [first] = await collect(client.readStream(of('a'), { maxCount: 1 }));
  const begin = first?.event?.position ?? 'start';
  const all = async () => {
    const events = (await collect(client.readAll({ fromPosition: begin }))).map(({ event }) => event);
    return events.filter((event) => event?.streamId.startsWith(of('')));
  };
  t.strictSame(
    (await all()).map((event) => `${event?.streamId}@${event?.revision}`),
    [`${of('a')}@0`, `${of('a')}@1`, `${of('b')}@0`],
  );
  const forwards = async (commit: bigint, prepare = commit) =>
    (await collect(client.readAll({ fromPosition: { commit, prepare } }))).length;
  t.equal(await forwards(position), 2, 'inclusive');
  t.equal(await forwards(position, 0n), 2);
  const before = await collect(
    client.readAll({
      direction: 'backwards',
      fromPosition: { commit: position, prepare: position },
      maxCount: 1,
    }),
  );
  t.strictSame(before[0]?.event?.position, begin, 'exclusive');
  t.equal(await forwards(last.position + 999n), 0, 'past the end');
  const newest = await collect(client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 }));
  t.equal(newest[0]?.event?.streamId, of('b'));
  const from = (commit: bigint, prepare: bigint) =>
    failing(client.readAll({ fromPosition: { commit, prepare } }));
  t.match(await from(position + 1n, position + 1n), {
    message: '2 UNKNOWN: Unexpected ReadAllResult: Error',
  });
  t.match(await from(position, position + 1n), { message: '2 UNKNOWN: Exception was thrown by handler.' });
  await client.tombstoneStream(of('a'));
  const tombstone = (await all()).at(-1);
  t.match(tombstone, { streamId: of('a'), type: '$streamDeleted', revision: 9223372036854775807n });
  t.equal((await all()).length, 4, 'nothing is scavenged');
});

tap.test('the first event of a database', STAND_IN_ONLY, async (t) => {
  const { client } = await startServer(t);
  const [first] = await collect(client.readAll());
  t.equal(first?.event?.streamId, '$$$scavenges');
  t.strictSame(first?.event?.position, { commit: 548n, prepare: 548n });
});

tap.test('what was written is there for another client, and after a restart', async (t) => {
  const { client, server, of } = await startServer(t);
  for (let n = 0; n < 20; n++) {
    const { position } = await put(client, of('a'), n === 0 ? 'no_stream' : BigInt(n - 1));
    const [newest] = await collect(
      client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 }),
    );
    t.equal(newest?.event?.position.commit, position);
  }
  if (RESTARTS.skip !== false) return;
  const before = await collect(client.readStream(of('a')));
  await server.restart();
  t.strictSame(await collect(client.readStream(of('a'))), before);
  t.equal((await put(client, of('a'), 19n)).revision, 20n);
});
