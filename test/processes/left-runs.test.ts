import { openImportPool } from '@rollcall/host';
import { RunStopped, systemClock } from '@rollcall/application';
import t from 'tap';
import { employees, put, respondAsync, rowsOf } from '../flows/imports.support.js';
import { companyId, startTestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { exactly } from '../support/exactly.js';

t.test(
  'a process that ends leaves its runs: nothing of them is done, and the next one carries them out',
  async (t) => {
    const app = await startTestApp(t, { shape: 'one' });
    await put(app, employees, employees.body(10_000), respondAsync);
    const { config: adapters, digestKey } = app.store;
    const ending = openImportPool(
      { adapters, digestKey, cacheBytes: 1024 },
      { ...app.adapters, clock: systemClock },
      { accepts: false, runThreads: 1, leaveRunsAfterMs: 0 },
    );
    t.teardown(() => ending.close());
    const run = ending.runOldest(companyId);
    run.catch(() => undefined);
    const namesOf = async (): Promise<string[]> => {
      const names: string[] = [];
      for await (const { stream } of app.adapters.log.listStreams('operation-'))
        for await (const { type } of app.adapters.log.readStream(stream))
          names.push(type.split('.')[0] ?? '');
      return names;
    };
    await until('it has begun', async () => (await namesOf()).length > 0);
    ending.stopping();
    await t.rejects(run, RunStopped);
    await t.rejects(ending.runOldest(companyId), RunStopped, 'and none begins');
    t.ok(
      (await namesOf()).some((name) => name.includes('ImportInterrupted')),
      'its start does not count',
    );
    t.match(await rowsOf(app), exactly([{ HttpStatusCode: 202 }]));
    t.match(await app.runner.runOldest(companyId), { kind: 'ended', outcome: 'done' });
  },
);
