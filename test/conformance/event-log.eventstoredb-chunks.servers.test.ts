import tap, { type Test } from 'tap';
import { StreamDeleted, type EventLog, type EventToAppend } from '@rollcall/application';
import { EventStoreDbServer } from '../servers/eventstoredb-server.js';
import { GrpcProxy } from '../servers/grpc-proxy.js';
import { openLogOn } from './event-log.eventstoredb.support.js';
import { collect, newEvent, put } from './event-log.support.js';

const server = await EventStoreDbServer.start();
tap.teardown(() => server.stop());

const chunk = (text: string): EventToAppend =>
  newEvent('', { contentType: 'binary', data: Buffer.alloc(200_000, text), type: 'DataPiece' });

async function behindProxy(t: Test) {
  const proxy = await GrpcProxy.start(server.port);
  t.teardown(() => proxy.stop());
  const log = await openLogOn(t, proxy, { timeoutMs: 5_000 });
  await put(log, 'data-1', 'no-stream', [chunk('a')]);
  return { proxy, log };
}

const chunks = (count: number): EventToAppend[] =>
  Array.from({ length: count }, (_, n) => chunk(String(n % 10)));

/** Sent without waiting; what came of each. */
const sendAll = (log: EventLog, stream: string, events: readonly EventToAppend[]) =>
  Promise.all(events.map((event, revision) => log.append(stream, revision, [event])));

tap.test('chunks that do not wait for each other go over one call, in their order', async (t) => {
  const { proxy, log } = await behindProxy(t);
  proxy.taken();
  const sent = chunks(40);
  const results = await sendAll(log, 'data-1', sent);
  t.strictSame(
    results.map((result) => result.outcome === 'appended' && result.revision),
    sent.map((_, n) => n + 1),
  );
  const stored = await collect(log.readStream('data-1', { from: 1 }));
  t.strictSame(
    stored.map(({ id, position }) => ({ id, position })),
    sent.map(({ id }, n) => {
      const result = results[n];
      return { id, position: result?.outcome === 'appended' ? result.position : undefined };
    }),
  );
  t.strictSame(
    proxy
      .taken()
      .filter(({ nth }) => nth === 1)
      .map(({ method }) => method),
    ['BatchAppend', 'Read'],
  );
});

tap.test(
  'a repeat is answered as the first time, a wrong revision and a deleted stream as ever',
  async (t) => {
    const { log } = await behindProxy(t);
    const sent = chunks(3);
    const first = await sendAll(log, 'data-1', sent);
    t.strictSame(await sendAll(log, 'data-1', sent), first);
    t.strictSame(await log.append('data-1', 1, [chunk('x')]), { outcome: 'wrong-revision', actual: 3 });
    t.strictSame(await log.append('data-2', 1, [chunk('x')]), {
      outcome: 'wrong-revision',
      actual: 'no-stream',
    });
    await log.deleteStream('data-1');
    await t.rejects(log.append('data-1', 3, [chunk('x')]), StreamDeleted);
  },
);

tap.test(
  'where the call is cut, what was under way goes once more, and nothing is there twice',
  async (t) => {
    const own = await EventStoreDbServer.start();
    t.teardown(() => own.stop());
    const proxy = await GrpcProxy.start(own.port);
    t.teardown(() => proxy.stop());
    const log = await openLogOn(t, proxy, { timeoutMs: 5_000 });
    await put(log, 'data-1', 'no-stream', [chunk('a')]);
    const sent = chunks(12);
    proxy.cutNext('BatchAppend');
    const results = await sendAll(log, 'data-1', sent);
    t.ok(results.every(({ outcome }) => outcome === 'appended'));
    const stored = await collect(log.readStream('data-1', { from: 1 }));
    t.strictSame(
      stored.map(({ id }) => id),
      sent.map(({ id }) => id),
    );
  },
);
