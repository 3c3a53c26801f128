import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmployeeValues, PreviewRow } from '@rollcall/contracts';
import t from 'tap';
import { fieldsBetween, previewRows, storeRows } from './preview-rows.js';

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

const ada = (changes: Partial<EmployeeValues>): EmployeeValues => ({
  EmployeeID: 'A-1',
  Firstname: 'Ada',
  Lastname: 'Berg',
  Email: 'ada@example.com',
  EmploymentStatus: 0,
  ...changes,
});

t.test('.000Z against Z is no difference of a Birthday', async (t) => {
  const before = ada({ Birthday: '1980-01-01T00:00:00Z' });
  const after = ada({ Birthday: '1980-01-01T00:00:00.000Z', JobTitle: 'Chef' });
  t.strictSame(fieldsBetween(before, after), { JobTitle: { Old: null, New: 'Chef' } });
});

t.test('other times, days and texts are', async (t) => {
  const at = (Birthday: string, text: string): EmployeeValues =>
    ada({ Birthday, JobTitle: text, Dimensions: { Birthday: text } });
  for (const [Old, New] of [
    ['1980-01-01T00:00:00Z', '1980-01-01T00:00:00.001Z'],
    ['1980-01-01T00:00:00Z', '1980-01-01'],
  ] as const) {
    const fields = fieldsBetween(at(Old, '1980-01-01T00:00:00Z'), at(New, '1980-01-01T00:00:00.0Z'));
    t.strictSame(fields['Birthday'], { Old, New });
    t.strictSame(Object.keys(fields), ['Birthday', 'JobTitle', 'Dimensions.Birthday']);
  }
  t.strictSame(fieldsBetween(ada({ Birthday: '1980-01-01' }), ada({}))['Birthday'], {
    Old: '1980-01-01',
    New: null,
  });
});
