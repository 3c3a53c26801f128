import { openMongodbReadModels } from '@rollcall/adapters';
import { ReadModelsUnavailable, type ReadModels } from '@rollcall/application';

import type { CommandStartedEvent, Document } from 'mongodb';
import t, { type Test } from 'tap';
import { databaseAt, freshDatabase, mongodbUrl, skipWithoutMongodb } from './read-models.mongodb.support.js';
import { oldServer } from './read-models.mongodb-old.js';
import { at, keys, put, read, remove, START, write } from './read-models.support.js';

interface Opened {
  readonly store: ReadModels;
  /** The commands that were sent, in order. */
  readonly sent: Document[];
  readonly url: string;
}

const HANDSHAKES = ['hello', 'isMaster', 'ismaster', 'endSessions', 'ping'];

const levelOf = (command: Document): unknown =>
  (command['readConcern'] as { readonly level?: string } | undefined)?.level;

/** Where it is not told it is the primary. */
const modeOf = (command: Document): string =>
  (command['$readPreference'] as { readonly mode: string } | undefined)?.mode ?? 'primary';

function kindOf(command: Document): string {
  const filter = JSON.stringify(command['filter']);
  if (filter.includes('"live"')) return 'walk';
  return filter.includes('"$in"') ? 'several' : 'other';
}

function rules(serverUrl: string): void {
  const open = async (t: Test, url = freshDatabase(t, serverUrl)): Promise<Opened> => {
    const sent: Document[] = [];
    const commandStarted = ({ commandName, command }: CommandStartedEvent) => {
      if (!HANDSHAKES.includes(commandName)) sent.push(command);
    };
    const store = await openMongodbReadModels({ url, commandStarted });
    t.teardown(() => store.close());
    return { store, sent, url };
  };

  t.test('writes want the majority, reads the primary and what the majority has', async (t) => {
    const { store, sent } = await open(t);
    await write(store, put([7, 1], { id: 'a' }), put([7, 2], { id: 'b' }, { keep: ['id'] }));
    await store.get('things', [7, 1]);
    await store.getMany('things', [[7, 1]]);
    await keys(store, { prefix: [7] });
    await store.writeSnapshot({
      stream: 'company-7',
      revision: 1,
      stateVersion: 1,
      chain: '',
      recordedAt: '2026-11-21T09:00:00Z',
      bytes: Buffer.from('state'),
    });
    await store.readSnapshot('company-7', 1);
    await (await store.newGeneration()).drop();
    const writes = sent.filter((one) =>
      ['insert', 'update', 'delete', 'findAndModify'].some((name) => name in one),
    );
    t.ok(writes.length > 5);
    for (const command of writes) t.match(command, { writeConcern: { w: 'majority', j: true } });
    const levels = new Map<string, Set<unknown>>();
    for (const command of sent.filter((one) => 'find' in one)) {
      t.equal(modeOf(command), 'primary');
      const kind = kindOf(command);
      levels.set(kind, (levels.get(kind) ?? new Set()).add(levelOf(command)));
    }
    t.strictSame(Object.fromEntries([...levels].map(([kind, found]) => [kind, [...found].toSorted()])), {
      // A walk sees one state; what a write is decided by is the newest, which is written behind it.
      walk: ['snapshot'],
      several: ['local', 'majority'],
      other: ['majority'],
    });
  });

  t.test('no transactions, collations, pipelines or unique indexes', async (t) => {
    const { store, sent } = await open(t);
    await write(store, put([7, 1], { id: 'a' }));
    await write(store, remove([7, 1]));
    for (const command of sent) {
      const text = JSON.stringify(command, (_, value: unknown) =>
        typeof value === 'bigint' ? `${value}` : value,
      );
      t.notMatch(text, /"(?:startTransaction|autocommit|collation|arrayFilters|unique|pipeline)"/);
      for (const { u } of (command['updates'] ?? []) as Document[]) t.notOk(Array.isArray(u));
    }
    t.ok(
      sent.some((one) => 'createIndexes' in one),
      'the index of live documents',
    );
  });

  t.test(
    'what an event writes last is sent when the majority has all else, the progress behind both',
    async (t) => {
      const { store, sent } = await open(t);
      const from = (position: bigint) => ({ origin: { position, part: 1 } });
      await write(store, put([1], {}, { collection: 'rows' }), put([1], {}));
      sent.length = 0;
      await store.apply(
        at(1n),
        [
          { ...put([2], {}), ...from(2n) },
          { ...put([3], {}), ...from(2n) },
          { ...put([2], {}, { collection: 'rows' }), ...from(2n) },
          { ...put([4], {}), ...from(3n) },
          { ...put([3], {}, { collection: 'rows' }), ...from(3n) },
        ],
        at(3n),
      );
      const updates = sent.filter((one) => 'update' in one);
      t.strictSame(
        updates.map((one) => [
          String(one['update']).replace(/^g1_/, ''),
          (one['updates'] as unknown[]).length,
        ]),
        [
          ['things', 3],
          ['rows', 2],
          ['state', 1],
        ],
      );
    },
  );

  t.test('a removed document leaves a mark without values', async (t) => {
    const { store, url } = await open(t);
    const indexedBy = { collection: 'order', prefix: [7], member: 'id' };
    await write(
      store,
      put([7, 1], { id: 'Ann', name: 'Ann' }),
      put([7, 'Ann'], [7, 1], { collection: 'order' }),
    );
    await write(store, { ...remove([7, 1]), op: 'remove', indexedBy });
    const db = databaseAt(t, url);
    for (const name of ['g1_things', 'g1_order']) {
      const records = await db.collection(name).find().toArray();
      t.equal(records.length, 1);
      t.strictSame(Object.keys(records[0] ?? {}).toSorted(), ['_id', 'version']);
    }
    t.equal(await read(store, [7, 1]), undefined);
    t.strictSame(await keys(store, { prefix: [7] }), []);
    t.strictSame(await keys(store, { prefix: [7] }, 'order'), []);
  });

  t.test('collections of a generation that is no more go, with what a late writer puts there', async (t) => {
    const { store, url } = await open(t);
    const next = await store.newGeneration();
    await next.apply(START, [put([1], {})], at(1n));
    const db = databaseAt(t, url);
    const names = async () => (await db.listCollections().toArray()).map(({ name }) => name).toSorted();
    await write(store, put([1], {}));
    t.strictSame(await names(), ['g1_things', 'g2_things', 'state']);
    await next.drop();
    t.strictSame(await names(), ['g1_things', 'state']);
    await db.collection<Document & { _id: string }>('g2_things').insertOne({ _id: 'late' });
    await (await open(t, url)).store.close();
    t.strictSame(await names(), ['g1_things', 'state']);
  });

  t.test('a removal that was cut off between its two writes is brought to its end', async (t) => {
    const { store, url } = await open(t);
    await store.newGeneration();
    const state = databaseAt(t, url).collection<Document & { _id: string }>('state');
    await state.updateOne({ _id: 'read-models' }, { $unset: { 'generations.2': true } });
    t.equal(await state.countDocuments({ _id: 'generation-2' }), 1);
    await (await open(t, url)).store.close();
    t.equal(await state.countDocuments({ _id: 'generation-2' }), 0);
    t.equal(await state.countDocuments(), 2, 'the store and its live generation stay');
  });

  t.test('the live generation is not dropped, even by whoever does not know that it is', async (t) => {
    const { store } = await open(t);
    const next = await store.newGeneration();
    await next.apply(START, [put([1], { n: 'new' })], at(1n));
    await next.switchTo();
    await next.drop();
    t.strictSame(await read(store, [1]), { n: 'new' });
  });

  t.test('chunks that no snapshot points to go after an hour', async (t) => {
    const { url, store } = await open(t);
    const bytes = Buffer.alloc(3_000_000, 1);
    const snapshot = { stream: 'company-7', stateVersion: 1, chain: '', recordedAt: '', bytes };
    await store.writeSnapshot({ ...snapshot, revision: 2 });
    await store.writeSnapshot({ ...snapshot, revision: 1 });
    t.equal((await store.readSnapshot('company-7', 1))?.revision, 2, 'it never goes back');
    const chunks = databaseAt(t, url).collection<Document & { _id: string }>('g1_.snapshot-chunks');
    t.equal(await chunks.countDocuments(), 3);
    await chunks.insertOne({ _id: `${'0'.repeat(11)}1-abc.0`, bytes });
    await (await open(t, url)).store.close();
    t.equal(await chunks.countDocuments(), 3);
    await chunks.deleteOne({});
    t.equal(await store.readSnapshot('company-7', 1), undefined, 'one that is not whole is not there');
    await store.writeSnapshot({ ...snapshot, revision: 2 });
    t.equal((await store.readSnapshot('company-7', 1))?.bytes.length, bytes.length, 'and can be made again');
  });

  t.test('progress only grows', async (t) => {
    const { store } = await open(t);
    await write(store, put([1], {}));
    await write(store, put([1], {}));
    await t.rejects(store.apply(at(2n), [], at(1n)), { message: /only grows/ });
    await t.rejects(store.apply(at(2n), [], START), { message: /only grows/ });
    t.strictSame(await store.progress(), at(2n));
  });

  t.test('an emptied database is told, and filled by the next start', async (t) => {
    const { store, url } = await open(t);
    await write(store, put([1], {}));
    await databaseAt(t, url).dropDatabase();
    await t.rejects(store.progress(), { name: 'ReadModelsUnavailable', message: /start again/ });
    const { store: again } = await open(t, url);
    t.strictSame(await again.progress(), START);
  });

  t.test('a database that was emptied under a process is filled by it with its indexes', async (t) => {
    const { store, url } = await open(t);
    await write(store, put([1], {}));
    const db = databaseAt(t, url);
    await db.dropDatabase();
    await open(t, url);
    await write(store, put([1], {}));
    const indexes = await db.collection('g1_things').indexes();
    t.strictSame(indexes.map(({ key }) => Object.keys(key as object)).toSorted(), [['_id'], ['live', '_id']]);
  });
}

t.test('a connection string that is none is refused without repeating it', async (t) => {
  for (const url of [
    'mongodb://',
    'mongodb://user:secret@',
    'mongodb://user:secret@h/?nonsense=1',
    'http://secret',
  ]) {
    await t.rejects(openMongodbReadModels({ url }), {
      name: 'ConfigInvalid',
      message: /^(?!.*secret)MONGODB_URL /,
    });
  }
});

t.test('a connection string that asks for less than the read models need is refused', async (t) => {
  for (const option of [
    'readConcernLevel=local',
    'READCONCERNLEVEL=available',
    'journal=false',
    'retryWrites=false',
    'w=1',
    'w=majority&w=0',
    'readPreference=secondary',
  ]) {
    const name = option.split('=')[0] ?? '';
    await t.rejects(openMongodbReadModels({ url: `mongodb://user:secret@127.0.0.1:1/rollcall?${option}` }), {
      name: 'ConfigInvalid',
      message: new RegExp(`^(?!.*secret)MONGODB_URL .*${name.replace('majority&w', 'w')}.*leave it out`),
    });
  }
  const right = 'readConcernLevel=majority&journal=true&retryWrites=true&w=majority&readPreference=primary';
  const url = `mongodb://127.0.0.1:1/rollcall?${right}`;
  await t.rejects(
    openMongodbReadModels({ url, readMs: 300 }),
    ReadModelsUnavailable,
    'what is right is taken',
  );
});

t.test('a server below MongoDB 5.0 is refused, with what is needed', async (t) => {
  const url = await oldServer(t, 9);
  await t.rejects(openMongodbReadModels({ url }), {
    name: 'ConfigInvalid',
    message: /wire version 9: MongoDB 5\.0, wire version 13,/,
  });
});

t.test('nobody listens: one line says so, and soon', async (t) => {
  const started = performance.now();
  const opening = openMongodbReadModels({ url: 'mongodb://user:secret@127.0.0.1:1', readMs: 300 });
  await t.rejects(opening, ReadModelsUnavailable);
  await t.rejects(opening, { message: /^(?!.*secret).*(?:ECONNREFUSED|did not answer)/ });
  t.ok(performance.now() - started < 5_000);
});

if (skipWithoutMongodb) t.test('mongodb', { skip: skipWithoutMongodb }, () => undefined);
else rules(await mongodbUrl());
