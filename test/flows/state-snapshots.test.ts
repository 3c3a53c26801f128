import { openImportPool } from '@rollcall/host';
import { systemClock } from '@rollcall/application';
import { companyStateVersion } from '@rollcall/domain';
import tap, { type Test } from 'tap';
import { request } from '../application/imports.support.js';
import { generatedEmployees } from '../generators/employees.js';
import { companyId, startTestApp, type TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

/** As a process that was just started: what a decision on this list comes to, and how the thread came to it. */
async function decided(t: Test, { store, adapters }: TestApp, list: unknown) {
  const { log, readModels } = adapters;
  const told = { reads: 0, unusable: 0 };
  const pool = openImportPool(
    { adapters: store.config, digestKey: store.digestKey, cacheBytes: 8 * 1024 * 1024 },
    {
      ...{ log, readModels, clock: systemClock },
      observe: (operation) => void (told.reads += Number(operation.startsWith('read'))),
      onUnusable: (count) => void (told.unusable += count),
    },
    { accepts: true, keepsReady: false, runThreads: 1 },
  );
  t.teardown(() => pool.close());
  const call = request('employees', list, { dryRun: true, context: { companyId } });
  const outcome = await pool.accept({ ...call, companyId });
  return { outcome, ...told };
}

tap.test('a process that knows nothing decides by the snapshot, and as well without it', async (t) => {
  const app = await startTestApp(t, { settings: { queueThreshold: null } });
  const people = generatedEmployees(3_000);
  const path = `/v1.0/Company/${companyId}/Employee`;
  t.equal((await app.call('PUT', path, { body: people })).status, 200);
  const { snapshots } = app.adapters;
  const newest = () => snapshots.newest(`company-${companyId}`, companyStateVersion);
  const kept = await until('a snapshot', newest);
  if (kept === 'unusable') throw new Error('it is not as it was put');

  const next = people.slice(10);
  const expected = { Inserted: 0, Updated: 0, Removed: 10 };
  const by = await decided(t, app, next);
  t.match(by, { unusable: 0, outcome: { result: expected } });
  await snapshots.put({ ...kept, bytes: Buffer.from('something else') });
  const without = await decided(t, app, next);
  t.match(without, { unusable: 1, outcome: { result: expected } });
  t.ok(without.reads > by.reads, `${without.reads} and ${by.reads} reads of the log`);
});
