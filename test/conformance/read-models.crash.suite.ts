import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { Test } from 'tap';
import { DOCUMENTS, eventOf, STREAM } from './read-models.crash.js';
import type { OpenFresh, StoreUnderTest } from './read-models.suite.js';
import { indexed } from './read-models.support.js';
import { Program } from '../support/program.js';
import { scale, seed } from '../support/scale.js';
import type { WritableReadModels } from '../support/writable.js';

const CHILD = fileURLToPath(new URL('./read-models.child.js', import.meta.url));

export function crashTests(t: Test, fresh: OpenFresh): void {
  t.test(
    'after kill -9 nothing acknowledged is lost, and what is torn is whole when done again',
    async (t) => {
      const { store, under } = await fresh(t);
      const rounds = Math.max(3, Math.ceil(20 * scale));
      t.comment(`${rounds} rounds, TEST_SEED=${seed}`);
      for (const delay of fc.sample(fc.integer({ min: 0, max: 200 }), { numRuns: rounds, seed })) {
        const acknowledged = await writeUntilKilled(under, delay);
        const revision = await appliedTo(store);
        t.ok(revision >= acknowledged, `${revision} of at least ${acknowledged}`);
        const moved = Number((await store.progress()).position ?? -1n);
        if (acknowledged % 2 === 1)
          t.ok(moved >= acknowledged, `moved to ${moved}, at least ${acknowledged}`);
        t.ok(moved <= revision, `the progress, ${moved}, is not ahead of ${revision}`);
        const revisions = await revisionsOf(store);
        const possible = under.transactions ? [revision] : [revision, revision + 1];
        t.strictSame(
          [...new Set(revisions)].filter((one) => !possible.includes(one)),
          [],
          'none goes ahead or back',
        );
        if (revision >= 0) t.equal(revisions.length, DOCUMENTS);
        // What was under way when the process was killed may still come; it is the same.
        await store.write(eventOf(revision + 1, DOCUMENTS));
        t.strictSame(
          await revisionsOf(store),
          Array.from({ length: DOCUMENTS }, () => revision + 1),
        );
        t.equal((await indexed(store, { prefix: [7] })).length, DOCUMENTS, 'each is in the index once');
        t.equal((await indexed(store, { prefix: [7], upTo: revision })).length, 0);
        t.equal(await appliedTo(store), revision + 1);
      }
    },
  );
  t.end();
}

async function appliedTo(store: WritableReadModels): Promise<number> {
  const [found] = await store.newest('streams', [[STREAM]]);
  return found?.revision ?? -1;
}

async function revisionsOf(store: WritableReadModels): Promise<number[]> {
  const found: number[] = [];
  for await (const { revision } of store.find('dated', { prefix: [] })) found.push(revision);
  return found;
}

/** Runs a writing process, kills it `delayMs` after its first word, and gives back the last event it was told of. */
async function writeUntilKilled(under: StoreUnderTest, delayMs: number): Promise<number> {
  const child = new Program([CHILD, under.adapter, under.location]);
  await child.says(/\n/);
  await wait(delayMs);
  await child.kill();
  await child.ended;
  const said = child.lines.filter((line) => line.endsWith('.')).at(-1);
  return said === undefined ? -1 : Number(said.slice(0, -1));
}
