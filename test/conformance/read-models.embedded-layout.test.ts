import { openEmbeddedReadModels } from '@rollcall/adapters';
import { buildMissing } from '@rollcall/projector';
import { open, type Database, type RootDatabase } from 'lmdb';
import t, { type Test } from 'tap';
import { openRig } from '../support/rig.js';
import { testCollections } from './read-models.adapters.js';
import { advance, put, read, remove, write } from './read-models.support.js';
import { exactly } from '../support/exactly.js';

const HOUR = 3_600_000;

/** As a process of the version before sees the folder, for as long as the test runs. */
function formerProcess(t: Test, folder: string) {
  const root: RootDatabase = open({
    path: folder,
    noSubdir: false,
    overlappingSync: false,
    maxReaders: 1_000,
    pageSize: 16_384,
  });
  t.teardown(() => root.close());
  const json = { encoding: 'json' } as const;
  return {
    root,
    numbers: root.openDB<number, string>({ name: 'numbers', ...json }),
    generations: root.openDB<object, number>({ name: 'generations', ...json }),
    progress: root.openDB<object, number>({ name: 'progress', ...json, useVersions: true }),
    pointers: root.openDB<object, [number, string, number]>({ name: 'pointers', ...json }),
    chunks: root.openDB<Buffer, [number, number, number]>({ name: 'chunks', encoding: 'binary' }),
    documents: root.openDB<Buffer, Buffer>({ name: 'documents', keyEncoding: 'binary', encoding: 'binary' }),
  };
}

/** A generation of the version before, with one document and a state snapshot, as its projector writes it. */
async function filled(t: Test, folder: string, at: number) {
  const former = formerProcess(t, folder);
  await former.root.transaction(() => {
    void former.numbers.put('last', 1);
    void former.generations.put(1, { status: 'live', at, version: 'former' });
    void former.progress.put(1, { position: '5', parts: 2, at }, 7);
    void former.pointers.put([1, 'company-7', 3], { id: 1, revision: 5, chunks: 1 });
    void former.chunks.put([1, 1, 0], Buffer.from('state'));
    void former.documents.put(DOCUMENT, Buffer.from('{"n":"former"}'));
  });
  return former;
}

const DOCUMENT = Buffer.concat([Buffer.from([0, 0, 0, 1]), Buffer.from('things\0')]);

const count = (database: Database): number => database.getKeysCount();

t.test(
  'beside running processes of the version before, and what is theirs goes a day after it',
  async (t) => {
    const folder = t.testdir();
    const clock = { at: Date.now(), now: () => clock.at };
    const former = await filled(t, folder, clock.at);
    const open = async () => {
      const store = await openEmbeddedReadModels({
        folder,
        collections: testCollections,
        projections: 'new',
        clock,
      });
      t.teardown(() => store.close());
      return store;
    };
    const store = await open();
    t.match(
      await store.generations(),
      exactly([{ version: 'former', status: 'other', progress: { position: 5n } }]),
    );
    const next = await store.newGeneration();
    await write(next, put([1], { n: 'new' }), put([1], {}, { collection: 'dated', indexed: { size: [1] } }));
    await advance(next);
    await next.switchTo();
    t.strictSame(await read(store, [1]), { n: 'new' });
    former.root.resetReadTxn();
    t.equal(former.documents.get(DOCUMENT)?.toString(), '{"n":"former"}');
    await former.progress.put(1, { position: '6', parts: 0, at: clock.at }, 8);
    t.match(
      await store.generations(),
      exactly([{ version: 'former', progress: { position: 6n } }, { status: 'live' }]),
    );
    clock.at += 24 * HOUR + 1;
    await (await open()).close();
    t.strictSame(
      (await store.generations()).map(({ version }) => version),
      ['new'],
    );
    former.root.resetReadTxn();
    for (const name of ['documents', 'pointers', 'chunks'] as const) t.equal(count(former[name]), 0, name);
  },
);

t.test('tombstones go with their generation', async (t) => {
  const folder = t.testdir();
  const clock = { at: Date.now(), now: () => clock.at };
  const options = { folder, collections: testCollections, projections: 'new', clock };
  const store = await openEmbeddedReadModels(options);
  t.teardown(() => store.close());
  await store.beginEmpty();
  const live = await store.liveGeneration();
  await write(live, put([1], {}), put([2], {}));
  await write(live, remove([1]), remove([2]));
  const { root } = formerProcess(t, folder);
  const records = root.openDB({ name: 'records', keyEncoding: 'binary', encoding: 'binary' });
  t.equal(count(records), 2);
  const next = await store.newGeneration();
  await write(next, put([2], {}));
  await next.switchTo();
  clock.at += HOUR + 1;
  await (await openEmbeddedReadModels(options)).close();
  root.resetReadTxn();
  t.equal(count(records), 1);
});

t.test('what the version before leaves behind of a generation that it drops goes', async (t) => {
  const folder = t.testdir();
  const store = await openEmbeddedReadModels({ folder, collections: testCollections, projections: 'new' });
  t.teardown(() => store.close());
  const next = await store.newGeneration();
  await write(next, put([1], {}), put([1], {}, { collection: 'dated', indexed: { size: [1] } }));
  const former = formerProcess(t, folder);
  await former.progress.remove(1);
  await former.generations.remove(1);
  await (await openEmbeddedReadModels({ folder, collections: testCollections, projections: 'new' })).close();
  const binary = { keyEncoding: 'binary', encoding: 'binary' } as const;
  former.root.resetReadTxn();
  for (const name of ['records', 'entries']) t.equal(count(former.root.openDB({ name, ...binary })), 0, name);
});

t.test('a generation whose drop was interrupted is no longer built, and goes', async (t) => {
  const { log } = await openRig(t);
  const folder = t.testdir();
  const options = { folder, collections: testCollections, projections: 'new' };
  const store = await openEmbeddedReadModels(options);
  t.teardown(() => store.close());
  const begun = await store.newGeneration();
  const former = formerProcess(t, folder);
  await former.progress.remove(1);
  await t.rejects(begun.switchTo(), { message: /is gone/ });
  await begun.releaseClaim();
  t.equal(await store.unfinishedGeneration(), undefined);
  const stop = new AbortController();
  const sleep = (): Promise<void> => Promise.resolve(stop.abort());
  const ignored = (): void => undefined;
  const logger = { info: ignored, warn: ignored, error: ignored };
  await buildMissing({ log, readModels: store, projections: [], logger, sleep, signal: stop.signal });
  t.match(await store.generations(), exactly([{ name: 'generation-2', status: 'live' }]));
  await (await openEmbeddedReadModels(options)).close();
  former.root.resetReadTxn();
  t.strictSame([...former.generations.getKeys()], [2]);
});
