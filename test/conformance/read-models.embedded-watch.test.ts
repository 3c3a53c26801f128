import { openEmbeddedReadModels, type EmbeddedReadModelsOptions } from '@rollcall/adapters';
import { ReadModelsUnavailable } from '@rollcall/application';

import t, { type Test } from 'tap';
import { until } from '../support/until.js';
import { testCollections } from './read-models.adapters.js';
import { advance, applied, put, write } from './read-models.support.js';
import { writable } from '../support/writable.js';

async function open(t: Test, folder: string, more: Partial<EmbeddedReadModelsOptions> = {}) {
  const store = writable(await openEmbeddedReadModels({ folder, collections: testCollections, ...more }));
  t.teardown(() => store.close());
  return store;
}

t.test('handles of one process are woken without looking', async (t) => {
  const folder = t.testdir();
  const never = { pollMs: 2 ** 30 };
  const store = await open(t, folder, never);
  const other = await open(t, folder, never);
  for (let n = 1n; n <= 10n; n++) {
    const revision = Number(n);
    const waiting = [
      other.reachedPosition(n, 60_000),
      store.reachedPosition(n, 60_000),
      other.reached('company-7', revision, 60_000),
      store.reached('company-7', revision, 60_000),
    ];
    const writer = n % 2n === 0n ? other : store;
    await write(writer, applied('company-7', revision));
    await advance(writer);
    t.strictSame(await Promise.all(waiting), [true, true, true, true]);
  }
});

t.test('an open store keeps no process from ending, and nothing ticks unless somebody waits', async (t) => {
  const store = await open(t, t.testdir());
  await write(store, put([1], {}));
  const idle = process.getActiveResourcesInfo().length;
  const waiting = store.reached('company-7', 0, 60_000);
  t.ok(process.getActiveResourcesInfo().length > idle);
  await write(store, applied('company-7', 0));
  await waiting;
  // The library's own timers run out after a while.
  await until('what waited is gone', () => process.getActiveResourcesInfo().length <= idle);
});

t.test('a reader who is slower than the bound is cut off, and is never shown two states', async (t) => {
  const store = await open(t, t.testdir(), { snapshotMs: 20 });
  const many = Array.from({ length: 5_000 }, (_, n) => put([n], { version: 1 }));
  await write(store, ...many);
  const reading = store.find('things', { prefix: [] })[Symbol.asyncIterator]();
  await reading.next();
  await new Promise((resolve) => setTimeout(resolve, 60));
  await t.rejects(async () => {
    while ((await reading.next()).done !== true);
  }, ReadModelsUnavailable);
});
