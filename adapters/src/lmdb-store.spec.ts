import { codeOfFailure } from './lmdb-store.js';

import t from 'tap';

t.test('a failure has its name', async (t) => {
  const folder = t.testdir();
  const codes = [28, 5, -30_792, 'EROFS'];
  const names = await Promise.all(
    codes.map((code) => codeOfFailure(Object.assign(new Error('x'), { code }), folder)),
  );
  t.same(names, ['ENOSPC', 'EIO', '-30792', 'EROFS']);
});
