import type { Database } from 'lmdb';
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

t.test('a list of free pages in several records is saved whole', async (t) => {
  const folder = t.testdir();
  const [page, tenPages, manyPages] = [3_000, 40_000, 900_000].map((bytes) => Buffer.alloc(bytes));
  const reopen = () =>
    openLmdbStore<Buffer, { values: Database<Buffer, number> }>(
      { folder, sync: false, pageSize: 4_096 },
      (root) => ({ values: root.openDB({ name: 'values', encoding: 'binary' }) }),
    );
  const keepPages = ({ root, values }: Awaited<ReturnType<typeof reopen>>) => {
    const transaction = root.useReadTransaction();
    values.get(1, { transaction });
    return transaction;
  };
  const first = await reopen();
  const write = async (store: typeof first, entries: readonly [number, Buffer | undefined][]) =>
    store.write(() => {
      for (const [key, value] of entries)
        if (value === undefined) store.values.removeSync(key);
        else store.values.putSync(key, value);
    });
  const keys = Array.from({ length: 4_000 }, (_, key) => key);
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
  await write(second, [[10_000, tenPages]]);
  for (let at = 0; at < 3; at++)
    await write(second, [
      [20_000 + at, page],
      [30_000 + at, manyPages],
    ]);
  newest.done();
  t.equal([...second.values.getKeys()].length, 2_000 + 1 + 1 + 6);
  await second.close();
});
