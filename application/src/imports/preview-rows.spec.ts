import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PreviewRow } from '@rollcall/contracts';
import t from 'tap';
import { previewRows, storeRows } from './preview-rows.js';

const row = (Id: number): PreviewRow => ({ Change: 'Removed', Id, EmployeeID: 'ø'.repeat(200), Fields: {} });

async function* rows(count: number, problem?: Error): AsyncGenerator<PreviewRow> {
  for (let at = 0; at < count; at += 1) yield await Promise.resolve(row(at));
  if (problem) throw problem;
}

t.test('rows are stored and read back once; of rows that fail nothing is left', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'rows-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const stored = await storeRows(folder, rows(1_000));
  const ids: (number | null)[] = [];
  for await (const { Id } of previewRows(stored)) ids.push(Id);
  t.strictSame(
    ids,
    Array.from({ length: 1_000 }, (_, at) => at),
  );
  t.throws(() => previewRows(stored), { name: 'EventLogUnavailable' });
  await t.rejects(storeRows(folder, rows(1_000, new RangeError('of the rows'))), {
    name: 'RangeError',
    message: 'of the rows',
  });
  t.strictSame(await readdir(folder), []);
  await t.rejects(storeRows(join(folder, 'missing'), rows(1)), { name: 'EventLogUnavailable' });
});
