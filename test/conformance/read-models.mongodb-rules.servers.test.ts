import { setTimeout } from 'node:timers/promises';
import { openMongodbReadModels } from '@rollcall/adapters';
import { type DocumentWrite, ReadModelsLate, ReadModelsUnavailable } from '@rollcall/application';

import type { CommandStartedEvent, Document } from 'mongodb';
import t, { type Test } from 'tap';
import { databaseAt, freshDatabase, mongodbUrl, skipWithoutMongodb } from './read-models.mongodb.support.js';
import { oldServer } from './read-models.mongodb-old.js';
import { testCollections } from './read-models.adapters.js';
import { advance, applied, indexed, keys, put, read, remove, START, write } from './read-models.support.js';
import { writable, type WritableReadModels } from '../support/writable.js';

interface Opened {
  readonly store: WritableReadModels;
  /** The commands that were sent, in order. */
  readonly sent: Document[];
  readonly url: string;
}

/** Refused at once, or not answered in time. */
const away = { name: /^ReadModels(?:Unavailable|Late)$/ };

const HANDSHAKES = ['hello', 'isMaster', 'ismaster', 'endSessions', 'ping'];

const levelOf = (command: Document): unknown =>
  (command['readConcern'] as { readonly level?: string } | undefined)?.level;

/** Where it is not told it is the primary. */
const modeOf = (command: Document): string =>
  (command['$readPreference'] as { readonly mode: string } | undefined)?.mode ?? 'primary';

function kindOf(command: Document): string {
  const filter = JSON.stringify(command['filter']);
  if (filter.includes('"live"') || filter.includes('"indexed.')) return 'walk';
  return filter.includes('"$in"') ? 'several' : 'other';
}

function rules(serverUrl: string): void {
  const open = async (t: Test, url = freshDatabase(t, serverUrl)): Promise<Opened> => {
    const sent: Document[] = [];
    const commandStarted = ({ commandName, command }: CommandStartedEvent) => {
      if (!HANDSHAKES.includes(commandName)) sent.push(command);
    };
    const store = writable(
      await openMongodbReadModels({ url, commandStarted, collections: testCollections }),
    );
    t.teardown(() => store.close());
    return { store, sent, url };
  };

  t.test('writes want the majority, reads the primary and what the majority has', async (t) => {
    const { store, sent } = await open(t);
    await write(store, put([7, 1], { id: 'a' }), put([7, 2], { id: 'b' }));
    await advance(store);
    await store.newest('things', [[7, 1]]);
    await store.reached('company-7', 1, 0);
    await store.get('things', [7, 1]);
    await store.getMany('things', [[7, 1]], () => undefined);
    await keys(store, { prefix: [7] });
    await indexed(store, { prefix: [7] });
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
      // A walk sees one state; what a write is decided by is the newest, once the majority has it.
      walk: ['snapshot'],
      several: ['local', 'majority'],
      other: ['majority'],
    });
  });

  t.test('no transactions, collations, pipelines or unique indexes', async (t) => {
    const { store, sent } = await open(t);
    const dated = (n: number) => put([7, 1], {}, { collection: 'dated', indexed: { due: [7, n] } });
    await write(store, put([7, 1], { id: 'a' }), dated(1));
    await write(store, remove([7, 1]), dated(2));
    await indexed(store, { prefix: [7] });
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

  t.test('much that is deleted goes in turns, each with a deadline of its own', async (t) => {
    const { store, sent } = await open(t);
    const deletions = Array.from({ length: 40 }, (_, n): DocumentWrite => {
      return { op: 'delete-to', collection: 'things', key: [n, 9], from: 1, revision: 0 };
    });
    await write(store, put([3, 5], {}), put([30, 5], {}), put([41, 5], {}));
    await write(store, put([50], {}), ...deletions);
    const turns = sent.flatMap((one) => ('delete' in one ? [(one['deletes'] as unknown[]).length] : []));
    t.strictSame(turns, [16, 16, 8]);
    t.strictSame(await keys(store, { prefix: [] }), [[41, 5], [50]]);
  });

  t.test('a stage is sent when the majority has the one before', async (t) => {
    const { store, sent } = await open(t);
    const two = (n: number) => [put([n], {}), put([n], {}, { collection: 'others' })];
    await store.write([two(1), [applied('company-7', 0)]]);
    sent.length = 0;
    await store.write([[...two(2), put([3], {})], [put([4], {})], [applied('company-7', 1)]]);
    const updates = sent.filter((one) => 'update' in one);
    const stages = updates.map((one) => `${String(one['update'])} ${(one['updates'] as unknown[]).length}`);
    t.strictSame(stages.slice(0, 2).toSorted(), ['g1_others 1', 'g1_things 2'], 'in any order');
    t.strictSame(stages.slice(2), ['g1_things 1', 'g1_streams 1']);
  });

  t.test('a removed document leaves its revision, and stands in no index', async (t) => {
    const { store, url } = await open(t);
    const collection = 'dated';
    await write(store, put([7, 1], { name: 'Ann' }, { collection, revision: 3, indexed: { due: [7, 50] } }));
    await write(store, remove([7, 1], { collection, revision: 4 }));
    const records = await databaseAt(t, url).collection('g1_dated').find().toArray();
    t.equal(records.length, 1);
    t.strictSame(Object.keys(records[0] ?? {}).toSorted(), ['_id', 'revision']);
    t.equal(records[0]?.['revision'], 4);
    t.strictSame(await indexed(store, { prefix: [] }), []);
  });

  t.test('many large documents, and one that is too large', async (t) => {
    const { store } = await open(t);
    const blocks = Array.from({ length: 220 }, (_, n) => ({
      ...put([n], {}),
      value: Buffer.alloc(90_000, n),
    }));
    await store.write([blocks]);
    const found = await store.newest(
      'things',
      blocks.map(({ key }) => key),
    );
    t.ok(found.every((one, n) => one?.value?.length === 90_000 && one.value[0] === n % 256));
    const tooLarge = { ...put([999], {}), value: Buffer.alloc(16 * 1024 * 1024) };
    await t.rejects(store.write([[put([998], {})], [tooLarge]]), { name: 'UnwritableDocument' });
    t.equal(await read(store, [998]), undefined);
  });

  t.test('collections of a generation that is no more go, with what a late writer puts there', async (t) => {
    const { store, url } = await open(t);
    const next = await store.newGeneration();
    await write(next, put([1], {}));
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
    await write(next, put([1], { n: 'new' }));
    await next.switchTo();
    await next.drop();
    t.strictSame(await read(store, [1]), { n: 'new' });
  });

  t.test(
    'a walk that is under way when the client is replaced fails: what was read is not all',
    async (t) => {
      const { store } = await open(t);
      const all = Array.from({ length: 2_500 }, (_, n) => put([7, n], {}));
      await write(store, ...all);
      const walk = store.findBatches('things', { prefix: [7] })[Symbol.asyncIterator]();
      const first = await walk.next();
      t.ok(first.done !== true && first.value.length < all.length);
      // As if the driver had not looked at its server for a minute, and a call came too late meanwhile.
      const now = performance.now.bind(performance);
      let asked = 0;
      performance.now = () => now() + (asked++ === 0 ? 0 : 60_000);
      await t.rejects(store.parkedStreams(), ReadModelsLate).finally(() => (performance.now = now));
      await t.rejects(walk.next(), ReadModelsUnavailable);
      t.equal((await keys(store, { prefix: [7] })).length, all.length, 'the next one is whole');
    },
  );

  t.test('a list that is left early leaves no cursor open on the server', async (t) => {
    const { store, sent } = await open(t);
    await write(store, ...Array.from({ length: 1_500 }, (_, n) => put([7, n], {})));
    for await (const one of store.find('things', { prefix: [7] })) {
      t.strictSame(one.key, [7, 0]);
      break;
    }
    const isClosed = () => sent.some((one) => 'killCursors' in one);
    for (let polls = 0; !isClosed() && polls < 200; polls += 1) await setTimeout(10);
    t.ok(isClosed());
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
    const dated = () => put([1], {}, { collection: 'dated', indexed: { due: [7, 1] } });
    await write(store, dated());
    const db = databaseAt(t, url);
    await db.dropDatabase();
    await open(t, url);
    await write(store, dated());
    const indexes = await db.collection('g1_dated').indexes();
    const fields = indexes.map(({ key }) => Object.keys(key as object));
    t.strictSame(fields.toSorted(), [['_id'], ['indexed.due'], ['indexed.size'], ['live', '_id']]);
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
  await t.rejects(openMongodbReadModels({ url, readMs: 300 }), away, 'what is right is taken');
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
  await t.rejects(opening, away);
  await t.rejects(opening, { message: /^(?!.*secret).*(?:ECONNREFUSED|did not answer)/ });
  t.ok(performance.now() - started < 20_000);
});

if (skipWithoutMongodb) t.test('mongodb', { skip: skipWithoutMongodb }, () => undefined);
else rules(await mongodbUrl());
