import { openMongodbReadModels } from '@rollcall/adapters';
import type { Document } from 'mongodb';
import t, { type Test } from 'tap';
import { databaseAt, freshDatabase, mongodbUrl, skipWithoutMongodb } from './read-models.mongodb.support.js';
import { testCollections } from './read-models.adapters.js';
import { advance, at, put, read, START, write } from './read-models.support.js';
import { writable, type WritableReadModels } from '../support/writable.js';
import { exactly } from '../support/exactly.js';

async function opened(t: Test, url: string): Promise<WritableReadModels> {
  const store = writable(await openMongodbReadModels({ url, collections: testCollections }));
  t.teardown(() => store.close());
  return store;
}

function layouts(serverUrl: string): void {
  t.test('a layout of a newer program is refused, at the start and later', async (t) => {
    const url = freshDatabase(t, serverUrl);
    const store = await opened(t, url);
    await write(store, put([1], {}));
    const state = databaseAt(t, url).collection<Document & { _id: string }>('state');
    await state.updateOne({ _id: 'read-models' }, { $set: { schemaVersion: 3 } });
    const clear = { name: 'ReadModelsUnavailable', message: /layout 3 of a newer Rollcall.* knows 2/ };
    await t.rejects(openMongodbReadModels({ url }), clear);
    await t.rejects(store.get('things', [1]), clear);
    await t.rejects(write(store, put([1], { n: 2 })), clear);
    await t.rejects(store.advance(START, at(2n)), clear);
    await state.updateOne({ _id: 'read-models' }, { $set: { schemaVersion: 2 } });
    t.strictSame(await read(store, [1]), {});
  });

  t.test('the layout of an earlier program is brought to the present one, with what it read', async (t) => {
    const url = freshDatabase(t, serverUrl);
    const state = databaseAt(t, url).collection<Document & { _id: string }>('state');
    const former = { schemaVersion: 1, live: 2, since: 7, last: 3, generations: { 2: 5, 3: Date.now() } };
    const generation = { position: '9', parts: 0, broken: [], revision: 1, at: Date.now() };
    await state.insertMany([
      { _id: 'read-models', ...former },
      { _id: 'generation-2', number: 2, ...generation },
      { _id: 'generation-3', number: 3, ...generation },
    ]);
    const store = await opened(t, url);
    t.match(
      await store.generations(),
      exactly([
        { name: 'generation-2', status: 'live', version: null, progress: { position: 9n } },
        { name: 'generation-3', status: 'building' },
      ]),
    );
    t.match(await state.findOne({ _id: 'read-models' }), { schemaVersion: 2 });
  });

  t.test(
    'documents of an earlier program stay as they are beside the new ones, and go with their generation',
    async (t) => {
      const url = freshDatabase(t, serverUrl);
      const db = databaseAt(t, url);
      type Stored = Document & { _id: string };
      await db.collection<Stored>('state').insertMany([
        {
          _id: 'read-models',
          filling: 'f',
          schemaVersion: 2,
          last: 1,
          generations: { 1: { version: 'old', begun: 5, since: 6 } },
        },
        { _id: 'generation-1', number: 1, revision: 4, position: '9', parts: 1, broken: [], at: Date.now() },
      ]);
      const old = { _id: 'n1', version: '00', live: true, json: Buffer.from('{}') };
      await db.collection<Stored>('g1_things').insertOne(old);
      const clock = { at: Date.now(), now: () => clock.at };
      const open = async () => {
        const store = writable(
          await openMongodbReadModels({
            url,
            collections: testCollections,
            projections: 'new',
            clock,
          }),
        );
        t.teardown(() => store.close());
        return store;
      };
      const store = await open();
      const next = await store.newGeneration();
      await write(next, put([1], { n: 'new' }));
      await advance(next);
      await next.switchTo();
      t.strictSame(await read(store, [1]), { n: 'new' });
      const statuses = (await store.generations()).map(({ version, status }) => `${version} ${status}`);
      t.strictSame(statuses, ['old other', 'new live']);
      t.match(await db.collection<Stored>('g1_things').findOne({ _id: 'n1' }), { version: '00' });
      t.match(await db.collection<Stored>('state').findOne({ _id: 'generation-1' }), {
        revision: 4,
        parts: 1,
      });
      clock.at += 25 * 3_600_000;
      await (await open()).close();
      const names = (await db.listCollections().toArray()).map(({ name }) => name).toSorted();
      t.strictSame(names, ['g2_things', 'state']);
    },
  );
}

if (skipWithoutMongodb) t.test('mongodb', { skip: skipWithoutMongodb }, () => undefined);
else layouts(await mongodbUrl());
