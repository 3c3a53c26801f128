import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { openMongodbReadModels } from '@rollcall/adapters';
import type { Document } from 'mongodb';
import t, { type Test } from 'tap';
import { testCollections } from './read-models.adapters.js';
import { databaseAt, freshDatabase, mongodbUrl, skipWithoutMongodb } from './read-models.mongodb.support.js';
import { applied, documents, put, read, write } from './read-models.support.js';
import { writable } from '../support/writable.js';

type Stored = Document & { _id: string };

function gate() {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open: () => open() };
}

interface Held {
  readonly answers: string;
  readonly requests?: string;
}

/**
 * The URL of a way to the server on which each answer, and each request, that holds the text is kept back until `before` is done.
 * That begins once there are both.
 */
async function wayWith(t: Test, url: string, held: Held, before: () => Promise<void>): Promise<string> {
  const [asked, done] = [gate(), gate()];
  if (held.requests === undefined) asked.open();
  const target = new URL(url);
  const { hostname, port } = target;
  const server = createServer((client) => {
    const behind = connect(Number(port), hostname);
    let passed: Promise<unknown> = Promise.resolve();
    client.on('data', (chunk: Buffer) => {
      if (held.requests !== undefined && chunk.includes(held.requests)) {
        asked.open();
        passed = passed.then(() => done.passed);
      }
      passed = passed.then(() => behind.write(chunk));
    });
    let sent: Promise<unknown> = Promise.resolve();
    behind.on('data', (chunk: Buffer) => {
      if (chunk.includes(held.answers))
        sent = sent
          .then(() => asked.passed)
          .then(before)
          .finally(() => done.open());
      sent = sent.then(() => client.write(chunk));
    });
    for (const [one, other] of [
      [client, behind],
      [behind, client],
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  target.searchParams.set('directConnection', 'true');
  target.port = String((server.address() as AddressInfo).port);
  return target.href;
}

/** A document that is there on one primary and not on the next one, which takes over at this moment. */
function rollbacks(serverUrl: string): void {
  t.test(
    'what is left out because it stands there is written when a change of primary takes it back',
    async (t) => {
      const url = freshDatabase(t, serverUrl);
      const things = databaseAt(t, url).collection<Stored>('g1_things');
      const others = writable(await openMongodbReadModels({ url, collections: testCollections }));
      t.teardown(() => others.close());
      await write(others, ...[1, 2, 3].map((n) => put([n], { n }, { revision: 5 })));
      const before = await things.find().toArray();
      let times = 0;
      const way = await wayWith(t, url, { answers: 'writeErrors' }, async () => {
        times += 1;
        if (times > 1) return;
        // The first goes back to what it was, the second was not there at all, the third stays.
        await things.replaceOne(
          { _id: before[0]?._id ?? '' },
          { revision: 4, live: true, value: Buffer.from('{}') },
        );
        await things.deleteOne({ _id: before[1]?._id ?? '' });
      });
      const store = writable(await openMongodbReadModels({ url: way, collections: testCollections }));
      t.teardown(() => store.close());
      const again = [1, 2, 3].map((n) => put([n], { n }, { revision: 5 }));
      await store.write([again, [applied('company-7', 5)]]);
      t.ok(times > 0, 'they were left out at first');
      t.strictSame(await documents(others, { prefix: [] }), [{ n: 1 }, { n: 2 }, { n: 3 }]);
      t.strictSame(await read(others, ['company-7'], 'streams'), { revision: 5 });
    },
  );

  t.test('what is read to decide by it is what the majority has, too, which is asked at once', async (t) => {
    const url = freshDatabase(t, serverUrl);
    const things = databaseAt(t, url).collection<Stored>('g1_things');
    const others = writable(await openMongodbReadModels({ url, collections: testCollections }));
    t.teardown(() => others.close());
    await write(others, put([1], { mark: 'taken back' }, { revision: 5 }));
    let times = 0;
    const held = { answers: 'taken back', requests: 'revision' };
    const way = await wayWith(t, url, held, async () => {
      times += 1;
      await things.updateOne({}, { $set: { revision: 4, value: Buffer.from('{"mark":"before"}') } });
    });
    const store = writable(await openMongodbReadModels({ url: way, collections: testCollections }));
    t.teardown(() => store.close());
    const [found] = await store.newest('things', [[1]]);
    t.equal(times, 1);
    t.strictSame([found?.revision, String(Buffer.from(found?.value ?? []))], [4, '{"mark":"before"}']);
  });
}

if (skipWithoutMongodb) t.test('mongodb', { skip: skipWithoutMongodb }, () => undefined);
else rollbacks(await mongodbUrl());
