import { ABORT, type Database } from 'lmdb';
import { codeOfFailure, openLmdbStore } from './lmdb-store.js';

import t from 'tap';

t.test('a failure has its name', async (t) => {
  const folder = t.testdir();
  const codes = [28, 5, -30_792, 'EROFS'];
  const names = await Promise.all(
    codes.map((code) => codeOfFailure(Object.assign(new Error('x'), { code }), folder)),
  );
  t.same(names, ['ENOSPC', 'EIO', '-30792', 'EROFS']);
});

t.test('a short write to a folder that is gone is a full disk too', async (t) => {
  // It has no free bytes.
  const full = '/proc';
  const failure = Object.assign(new Error('x'), { code: 5 });
  t.same(
    [await codeOfFailure(failure, full), await codeOfFailure(failure, `${full}/gone`)],
    ['ENOSPC', 'ENOSPC'],
  );
});

type Values = { values: Database<Buffer, number> };
type Change = readonly [number, Buffer | undefined];

const openValues = (folder: string, pages: { pageSize: number; maxFreeSpaceToRetain?: number }) =>
  openLmdbStore<Buffer, Values>({ folder, sync: false, ...pages }, (root) => ({
    values: root.openDB({ name: 'values', encoding: 'binary' }),
  }));

type Store = Awaited<ReturnType<typeof openValues>>;

/** How often LMDB gave the commit up. */
async function write(store: Store, changes: readonly Change[]): Promise<number> {
  let repeats = -1;
  await store.write(() => {
    repeats++;
    for (const [key, value] of changes)
      if (value === undefined) store.values.removeSync(key);
      else store.values.putSync(key, value);
  });
  return repeats;
}

t.test('a commit that LMDB gives up is made again', async (t) => {
  const store = await openValues(t.testdir(), { pageSize: 4_096 });
  const { root } = store;
  const transaction = root.transaction.bind(root);
  root.transaction = async (work) => {
    root.transaction = transaction;
    await transaction(() => (work(), ABORT));
    const commitError = Promise.reject(Object.assign(new Error('MDB_BAD_TXN'), { code: -30_782 }));
    throw Object.assign(new Error('Commit failed'), { commitError });
  };
  t.equal(await write(store, [[1, Buffer.from('value')]]), 1);
  t.strictSame(store.values.get(1), Buffer.from('value'));
  await store.close();
});

// The list of 1,000 free pages is read whole, that of 2,000 in part.
for (const count of [2_000, 4_000])
  t.test(`no commit is given up over a list of free pages in several records, ${count} pages`, async (t) => {
    const folder = t.testdir();
    const [page, tenPages, manyPages] = [3_000, 40_000, 900_000].map((bytes) => Buffer.alloc(bytes));
    const reopen = () => openValues(folder, { pageSize: 4_096 });
    const keepPages = ({ root, values }: Store) => {
      const transaction = root.useReadTransaction();
      values.get(1, { transaction });
      return transaction;
    };
    const first = await reopen();
    const keys = Array.from({ length: count }, (_, key) => key);
    await write(
      first,
      keys.map((key) => [key, page]),
    );
    await write(first, [
      [70_000, tenPages],
      [70_001, page],
    ]);
    // The oldest record: ten pages in a row. The next: so many single ones that they take several records.
    await write(first, [[70_000, undefined]]);
    const pages = keepPages(first);
    await write(
      first,
      keys.filter((key) => key % 2 === 0).map((key) => [key, undefined]),
    );
    for (let at = 0; at < 30; at++) await write(first, [[1 + 2 * at, page]]);
    pages.done();
    await first.close();

    const second = await reopen();
    const newest = keepPages(second);
    let repeats = await write(second, [[10_000, tenPages]]);
    for (let at = 0; at < 3; at++)
      repeats += await write(second, [
        [20_000 + at, page],
        [30_000 + at, manyPages],
      ]);
    newest.done();
    t.equal(repeats, 0);
    t.equal([...second.values.getKeys()].length, count / 2 + 1 + 1 + 6);
    await second.close();
  });

/** A generator of whole numbers below `n`, the same for the same seed. */
function numbersFrom(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

// Small pages have few entries each: what takes 50,000 commits with large ones, where LMDB keeps no list, happens within 150.
for (const seed of [63, 126, 359, 449])
  t.test(`no commit fails because of the list of free pages that it saves, seed ${seed}`, async (t) => {
    const below = numbersFrom(seed);
    const store = await openValues(t.testdir(), { pageSize: 512, maxFreeSpaceToRetain: 60 });
    const change = (): Change => {
      const key = below(1_000);
      return [key, below(3) === 0 ? undefined : Buffer.alloc(8 + below(60), key)];
    };
    const expected = new Map<number, Buffer>();
    for (let commit = 0; commit < 150; commit++) {
      const changes = Array.from({ length: (1 + below(60)) * (below(20) === 0 ? 10 : 1) }, change);
      await write(store, changes);
      for (const [key, value] of changes)
        if (value === undefined) expected.delete(key);
        else expected.set(key, value);
    }
    const found = [...store.values.getRange()].map(({ key, value }) => [key, value] as const);
    t.strictSame(new Map(found), new Map([...expected].sort(([a], [b]) => a - b)));
    await store.close();
  });
