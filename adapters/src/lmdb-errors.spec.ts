import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { WriteWatch, writeProbe } from './host/write-watch.js';
import { codeOfFailure } from './lmdb-errors.js';

t.test('a failure has its name', async (t) => {
  const folder = t.testdir();
  const codes = [28, 5, -30_792, 'EROFS'];
  const names = await Promise.all(
    codes.map((code) => codeOfFailure(Object.assign(new Error('x'), { code }), folder)),
  );
  t.same(names, ['ENOSPC', 'EIO', '-30792', 'EROFS']);
});

t.test('the probe writes, leaves nothing, and says what keeps it from that', async (t) => {
  const folder = t.testdir();
  await writeProbe(folder)();
  t.same(await readdir(folder), []);
  const watch = new WriteWatch(writeProbe(join(folder, 'gone')));
  t.same(await watch.problems(), [], 'nothing has failed');
  watch.observe('append', 0.1, true);
  watch.observe('readStream', 0.1, false);
  t.match(await watch.problems(), [{ problem: 'the data folder cannot be written: ENOENT', isOutage: true }]);
  watch.observe('append', 0.1, false);
  t.same(await watch.problems(), []);
});
