import { rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { embeddedAdapters, openImportPool } from '@rollcall/adapters';
import { EventLogUnavailable, systemClock } from '@rollcall/application';
import tap from 'tap';
import { ChildProcess, entryOf, type Part } from '../servers/child-process.js';
import { openTestStore } from '../support/test-store.js';
import { until } from '../support/until.js';

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
      const child = new ChildProcess({ dataDir, entry: entryOf(part), env: { METRICS_PORT: '0' } });
      t.teardown(() => child.kill());
      await child.says(/Metrics are on \S+\/metrics\n/);
      const url = child.operationsUrl ?? '';
      const isOfFolder = (problem: string): boolean => problem.startsWith('the data folder');
      const ofFolder = async (): Promise<string[]> => (await problemsAt(url))[1].filter(isOfFolder);
      t.same(await ofFolder(), [], part);
      await rename(dataDir, `${dataDir}-gone`);
      // Otherwise the queue, which may be lost, makes the folder anew.
      await symlink('nowhere', dataDir);
      const [status, problems] = await problemsAt(url);
      t.equal(status, 503, part);
      t.same(problems.filter(isOfFolder), ['the data folder cannot be written: ENOENT'], part);
      await rm(dataDir);
      await rename(`${dataDir}-gone`, dataDir);
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
  await t.rejects(pool.runOldest(7, 'alone'), EventLogUnavailable);
  t.equal(told, 1);
});
