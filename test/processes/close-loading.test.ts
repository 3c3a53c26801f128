import { openImportPool } from '@rollcall/host';
import { systemClock } from '@rollcall/application';
import t from 'tap';
import type { Worker } from 'node:worker_threads';
import { startTestApp } from '../support/test-app.js';

t.test('a pool that closes lets its threads load what ends the process if it is broken off', async (t) => {
  const app = await startTestApp(t, { shape: 'one' });
  const { config: adapters, digestKey } = app.store;
  const threads: { hasLoaded: boolean }[] = [];
  const watch = (worker: Worker): void => {
    const thread = { hasLoaded: false };
    threads.push(thread);
    worker.once('message', () => (thread.hasLoaded = true));
  };
  process.on('worker', watch);
  t.teardown(() => process.off('worker', watch));
  for (const accepts of [false, true]) {
    const deps = { ...app.adapters, clock: systemClock };
    const pool = openImportPool({ adapters, digestKey, cacheBytes: 1024 }, deps, { accepts, runThreads: 1 });
    void pool.runOldest(1).catch(() => undefined);
    await pool.close();
  }
  t.strictSame(threads, Array(3).fill({ hasLoaded: true }), 'runs; then calls and runs');
});
