import { join } from 'node:path';
import tap from 'tap';
import { generatedEmployees } from '../generators/employees.js';
import { tokenIn, whileRunning } from '../standalone/start.js';
import { until } from '../support/until.js';
import { holdWriteLock } from '../support/write-lock.js';
import { exactly } from '../support/exactly.js';

tap.test(
  'while another process holds the write lock: 503 for each call, and readiness says so',
  async (t) => {
    const dataDir = t.testdir();
    await whileRunning(dataDir, async (address) => {
      const ready = async (): Promise<string> => (await fetch(`${address}/health/ready`)).text();
      const put = (people: number): Promise<Response> =>
        fetch(`${address}/v1.0/Company/1/Employee`, {
          method: 'PUT',
          body: JSON.stringify(generatedEmployees(people)),
          headers: { authorization: `Bearer ${tokenIn(dataDir)}`, 'content-type': 'application/json' },
        });
      await until('it is ready', async () => (await ready()).includes('"ok"'));

      const release = await holdWriteLock(t, join(dataDir, 'event-log'));
      const begun = performance.now();
      const both = await Promise.all([put(3), put(4)]);
      const seconds = (performance.now() - begun) / 1000;
      for (const { status, headers } of both)
        t.match([status, headers.has('retry-after')], exactly([503, true]));
      t.ok(seconds < 19, `one wait for both, not one after the other: ${seconds.toFixed(1)} s`);
      const saysSo = async (): Promise<boolean> =>
        /unavailable.*event log takes no appends/.test(await ready());
      await until('readiness says so', saysSo);
      t.equal((await put(5)).status, 503);

      await release();
      await until('it is ready again', async () => (await ready()).includes('"ok"'));
      t.equal((await put(6)).status, 200);
    });
  },
);
