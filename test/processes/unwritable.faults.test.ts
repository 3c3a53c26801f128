import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openImportPool } from '@rollcall/host';
import { EventLogUnavailable, systemClock } from '@rollcall/application';
import tap from 'tap';
import { ChildProcess, entryOf, running, type Part } from '../servers/child-process.js';
import { openTestStore } from '../support/test-store.js';
import { until } from '../support/until.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

const parts: readonly Part[] = ['api', 'projector', 'worker', 'standalone'];

async function problemsAt(url: string): Promise<readonly [number, string[]]> {
  const answer = await fetch(`${url}/health/ready`);
  const { Problems } = (await answer.json()) as { readonly Problems: string[] };
  return [answer.status, Problems];
}

tap.test(
  'a folder that takes nothing makes every process unavailable, also one that has nothing to write',
  async (t) => {
    for (const part of parts) {
      const dataDir = join(t.testdir(), part);
      // Without what sends invitations: a thread that is still starting ends the process where the folder is gone.
      const env = { METRICS_PORT: '0', INVITATION_RATE: '0' };
      const child = new ChildProcess({ dataDir, entry: entryOf(part), env });
      t.teardown(() => child.kill());
      await child.says(running[part]);
      const url = child.metricsUrl ?? '';
      const isOfFolder = (problem: string): boolean => problem.startsWith('the data folder');
      const ofFolder = async (): Promise<string[]> => (await problemsAt(url))[1].filter(isOfFolder);
      t.same(await ofFolder(), [], part);
      // At once: a store that is being opened, and the queue, make the folder anew.
      renameSync(dataDir, `${dataDir}-gone`);
      symlinkSync('nowhere', dataDir);
      // A look is shared for a second.
      await until('the folder is missed', async () => (await ofFolder()).length > 0);
      const [status, problems] = await problemsAt(url);
      t.equal(status, 503, part);
      t.same(problems.filter(isOfFolder), ['the data folder cannot be written: ENOENT'], part);
      rmSync(dataDir);
      renameSync(`${dataDir}-gone`, dataDir);
      await until('it can be written again', async () => (await ofFolder()).length === 0);
      t.equal(await child.stop(), 0, part);
    }
  },
);

tap.test('what an import thread could not write is looked after', async (t) => {
  const { digestKey } = await openTestStore(t);
  const adapters = embeddedAdapters(fileURLToPath(import.meta.url));
  let told = 0;
  const { log, readModels } = (await openTestStore(t)).adapters;
  const pool = openImportPool(
    { adapters, digestKey, cacheBytes: 1024 },
    { log, readModels, clock: systemClock, onUnavailable: () => (told += 1) },
    { accepts: true, keepsReady: false, runThreads: 1 },
  );
  t.teardown(() => pool.close());
  await t.rejects(pool.runOldest(7), EventLogUnavailable);
  t.equal(told, 1);
});
