import { readdirSync } from 'node:fs';
import t from 'tap';
import { discardRows, storeRows } from './preview-rows.js';
import { sweepTemporaryFiles } from './stored-body.js';

async function* noRows() {}

t.test(
  'what another process that is alive may still hand out stays, and what a killed one has left goes',
  async (t) => {
    const other = '.spool-4711-0190b5a0-7c3a-4d11-9f00-0123456789ab';
    const folder = t.testdir({
      [other]: '{}',
      '.spool-move': { 'events-000001.ndjson': '{}' },
      '.others': '',
    });
    const rows = await storeRows(folder, noRows());
    t.match(readdirSync(folder).join(' '), `.spool-${process.pid}-`, 'each names its process');
    discardRows(rows);
    await sweepTemporaryFiles(folder, (pid) => pid === 4711);
    t.same(readdirSync(folder).sort(), ['.others', other]);
    await sweepTemporaryFiles(folder, () => false);
    t.same(readdirSync(folder), ['.others']);
  },
);

t.test('a process that begins with the number of a killed one removes what that has left', async (t) => {
  const folder = t.testdir();
  await storeRows(folder, noRows());
  await sweepTemporaryFiles(folder, () => true);
  t.same(readdirSync(folder), []);
});
