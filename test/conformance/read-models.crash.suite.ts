import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { DocumentWrite, ReadModels } from '@rollcall/application';
import type { Test } from 'tap';
import type { OpenFresh, StoreUnderTest } from './read-models.suite.js';
import { at, documents, put } from './read-models.support.js';
import { Program } from '../support/program.js';
import { scale } from '../support/scale.js';

const CHILD = fileURLToPath(new URL('./read-models.child.js', import.meta.url));

export function crashTests(t: Test, fresh: OpenFresh): void {
  t.test('after kill -9 documents and progress agree, and nothing acknowledged is lost', async (t) => {
    const { store, under } = await fresh(t);
    const rounds = Math.max(3, Math.ceil(20 * scale));
    const seed = Date.now() % 1_000_000;
    t.comment(`${rounds} rounds, seed ${seed}`);
    for (const delay of fc.sample(fc.integer({ min: 0, max: 200 }), { numRuns: rounds, seed })) {
      const acknowledged = await writeUntilKilled(under, delay);
      const position = await (under.transactions ? positionOf(store) : applyAgain(t, store));
      t.ok(position >= acknowledged, `${position} of at least ${acknowledged}`);
      const found = await documents(store, { prefix: [] });
      const expected = position === 0n ? 0 : 300;
      t.equal(found.length, expected);
      t.ok(found.every((document) => JSON.stringify(document) === `{"position":"${position}"}`));
    }
  });
  t.end();
}

const positionOf = async (store: ReadModels): Promise<bigint> => (await store.progress()).position ?? 0n;

const batch = (position: bigint): DocumentWrite[] =>
  Array.from({ length: 300 }, (_, n) => put([n], { position: position.toString() }));

/** What lies ahead of the progress comes from the next batch only. That batch is applied again. */
async function applyAgain(t: Test, store: ReadModels): Promise<bigint> {
  for (;;) {
    const progress = await store.progress();
    const before = progress.position ?? 0n;
    const texts = (await documents(store, { prefix: [] })).map((document) => JSON.stringify(document));
    const known = [before, before + 1n].map((position) => JSON.stringify({ position: position.toString() }));
    // A write that was under way when its process was killed may still come.
    if (!(await store.apply(progress, batch(before + 1n), at(before + 1n)))) continue;
    t.strictSame(
      [...new Set(texts)].filter((text) => !known.includes(text)),
      [],
    );
    return before + 1n;
  }
}

/** Runs a writing process, kills it `delayMs` after its first word, and gives back the last position it was told of. */
async function writeUntilKilled(under: StoreUnderTest, delayMs: number): Promise<bigint> {
  const child = new Program([CHILD, under.adapter, under.location]);
  await child.says(/\n/);
  await wait(delayMs);
  await child.kill();
  await child.ended;
  return BigInt(
    child.lines
      .filter((line) => line.endsWith('.'))
      .at(-1)
      ?.slice(0, -1) ?? 0,
  );
}
