import { randomUUID } from 'node:crypto';
import { binaryEvent, type EventStoreDBClient } from '@eventstore/db-client';
import tap, { type Test } from 'tap';
import {
  collect,
  event,
  events,
  failing,
  put,
  RESTARTS,
  startServer,
  UNARY,
} from './eventstoredb-stand-in.support.js';

const LIMIT = 1_048_576;
const weighing = (bytes: number, metadata = 0) =>
  binaryEvent({ type: 'Piece', data: Buffer.alloc(bytes), metadata: Buffer.alloc(metadata, 1) });

const wrong = (expectedVersion: unknown, actualVersion: unknown) => ({
  type: 'wrong-expected-version',
  message: '',
  expectedVersion,
  actualVersion,
});

for (const [path, options] of [
  ['batch', {}],
  ['unary', UNARY],
] as const) {
  tap.test(`append, ${path}`, async (t) => {
    const { client, of } = await startServer(t);
    const append = (stream: string, expectedRevision: Parameters<typeof put>[2], count = 1) =>
      client.appendToStream(of(stream), events(count), { expectedRevision, ...options });

    t.test('revisions follow each other; every event has a position of its own', async (t) => {
      const first = await append('a', 'no_stream', 3);
      t.equal(first.nextExpectedRevision, 2n);
      const next = await append('a', 2n);
      t.equal(next.nextExpectedRevision, 3n);
      const stored = await collect(client.readStream(of('a')));
      const positions = stored.map(({ event }) => event?.position);
      t.strictSame(positions[2], first.position);
      t.strictSame(positions[3], next.position);
      t.ok(positions.every((position) => position?.commit === position?.prepare));
      t.ok(
        positions.every(
          (position, n) => n === 0 || (position?.commit ?? 0n) > (positions[n - 1]?.commit ?? 0n),
        ),
      );
    });

    t.test('a wrong version names the actual one', async (t) => {
      await append('b', 'no_stream', 2);
      t.match(await failing(append('b', 'no_stream')), wrong('no_stream', 1n));
      t.match(await failing(append('b', 7n)), wrong(7n, 1n));
      t.match(await failing(append('missing', 3n)), wrong(3n, 'no_stream'));
      t.match(await failing(append('missing', 'stream_exists')), wrong('stream_exists', 'no_stream'));
    });

    t.test('only the bytes of the data count for the limit; all or nothing', async (t) => {
      const send = (stream: string, ...sent: ReturnType<typeof weighing>[]) =>
        client.appendToStream(of(stream), sent, { expectedRevision: 'any', ...options });
      t.ok((await send('c', weighing(LIMIT, 2 * LIMIT))).success);
      t.ok((await send('c', weighing(LIMIT - 10), weighing(10))).success);
      const tooBig = await failing(send('d', weighing(LIMIT), weighing(1)));
      t.equal(tooBig.type, 'maximum-append-size-exceeded');
      t.equal(tooBig.maxAppendSize, LIMIT);
      const text = path === 'batch' ? '' : '3 INVALID_ARGUMENT: Maximum Append Size of 1048576 Exceeded.';
      t.equal(tooBig.message, text);
      t.equal((await failing(client.readStream(of('d')))).type, 'stream-not-found');
      t.ok((await append('d', 'no_stream')).success, 'the connection can be used on');
    });

    t.test('a tombstone refuses everything, repeats too', async (t) => {
      const known = event();
      await client.appendToStream(of('e'), known, { expectedRevision: 'no_stream', ...options });
      await client.tombstoneStream(of('e'));
      for (const expectedRevision of ['no_stream', 'any', 0n] as const) {
        const refused = failing(client.appendToStream(of('e'), known, { expectedRevision, ...options }));
        t.match(await refused, { type: 'stream-deleted', streamName: of('e') });
      }
    });
  });
}

tap.test('an append of nothing', async (t) => {
  const { client, of } = await startServer(t);
  t.equal(
    (await client.appendToStream(of('x'), [], { expectedRevision: 'no_stream' })).nextExpectedRevision,
    0n,
  );
  t.equal((await failing(client.readStream(of('x')))).type, 'stream-not-found');
  t.equal((await put(client, of('x'), 'no_stream')).revision, 0n);
  t.match(await failing(client.appendToStream(of('x'), [], { expectedRevision: 5n })), wrong(5n, 0n));
});

tap.test('of ten that begin a stream one wins; what is not awaited keeps its order', async (t) => {
  const { client, of } = await startServer(t);
  const all = await Promise.allSettled(Array.from({ length: 10 }, () => put(client, of('a'), 'no_stream')));
  t.equal(all.filter(({ status }) => status === 'fulfilled').length, 1);
  const rest = await Promise.all(
    Array.from({ length: 50 }, (_, n) => put(client, of('b'), n === 0 ? 'no_stream' : BigInt(n - 1))),
  );
  t.strictSame(
    rest.map(({ revision }) => revision),
    Array.from({ length: 50 }, (_, n) => BigInt(n)),
  );
});

tap.test('input that is none', async (t) => {
  const { client, of } = await startServer(t);
  const refused = { type: 'unknown', message: 'Could not recognize BadRequest' };
  t.match(await failing(client.appendToStream('', event())), refused);
  t.match(await failing(client.appendToStream(of('a'), event('no uuid'))), refused);
  t.match(await failing(client.appendToStream(of('a'), { ...event(), type: '' })), refused);
  t.match(await failing(client.appendToStream(of('a'), event(), { deadline: 0 })), {
    type: 'deadline-exceeded',
    message: '',
  });
  t.equal((await failing(client.readStream(of('a')))).type, 'stream-not-found');
});

tap.test('repeats', async (t) => {
  const { client, server, of } = await startServer(t);
  const [one, two, three] = [event(), event(), event()];
  const send = (
    stream: string,
    expectedRevision: Parameters<typeof put>[2],
    ...sent: ReturnType<typeof event>[]
  ) => client.appendToStream(of(stream), sent, { expectedRevision });
  const first = await send('a', 'no_stream', one, two);

  const exactRepeats = async (t: Test) => {
    t.strictSame(await send('a', 'no_stream', one, two), first);
    t.equal((await send('a', 'no_stream', one)).nextExpectedRevision, 0n);
    t.strictSame(await send('a', 0n, two), first);
    t.match(await failing(send('a', 'no_stream', one, two, three)), wrong('no_stream', 1n));
    t.match(await failing(send('a', 'no_stream', one, three)), wrong('no_stream', 1n));
    t.equal(await count(client, of('a')), 2);
  };
  t.test('with the exact version', exactRepeats);

  t.test('with any: known from memory', async (t) => {
    t.strictSame(await send('a', 'any', one, two), first);
    t.match(await failing(send('a', 'any', one, two, three)), wrong('any', 1n));
    t.equal(await count(client, of('a')), 2);
  });

  t.test('after a restart the exact ones are still known, any is written twice', RESTARTS, async (t) => {
    await server.restart();
    await exactRepeats(t);
    t.equal((await send('a', 'any', one, two)).nextExpectedRevision, 3n);
    t.equal(await count(client, of('a')), 4);
  });

  t.test('the same id elsewhere, twice at once, or at the head', async (t) => {
    t.equal((await send('b', 'no_stream', one)).nextExpectedRevision, 0n);
    t.equal((await send('b', 0n, one)).nextExpectedRevision, 1n);
    const twin = event();
    t.equal((await send('c', 'no_stream', twin, twin)).nextExpectedRevision, 1n);
    const otherData = event(randomUUID());
    await send('d', 'no_stream', otherData);
    t.equal((await send('d', 'no_stream', event(otherData.id, { other: 'x' }))).nextExpectedRevision, 0n);
    t.equal(await count(client, of('d')), 1, 'the data is not compared');
  });
});

const count = async (client: EventStoreDBClient, stream: string): Promise<number> =>
  (await collect(client.readStream(stream))).length;
