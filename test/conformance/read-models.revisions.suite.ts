import assert from 'node:assert/strict';
import { UnwritableDocument, type DocumentKey, type DocumentWrite } from '@rollcall/application';
import fc from 'fast-check';
import type { Test } from 'tap';
import type { OpenFresh } from './read-models.suite.js';
import { documents, indexed, parse, put, read, remove, write } from './read-models.support.js';
import { scale, seed } from '../support/scale.js';
import type { WritableReadModels } from '../support/writable.js';

const collection = 'dated';
const dated = (key: DocumentKey, revision: number, due?: readonly number[]): DocumentWrite =>
  put(key, { revision }, { collection, revision, ...(due && { indexed: { due } }) });

const newest = async (store: WritableReadModels, key: DocumentKey) => {
  const [found] = await store.newest('things', [key]);
  return found && { revision: found.revision, value: parse(found.value) };
};

export function revisionTests(t: Test, fresh: OpenFresh): void {
  t.test('only what is newer is written, and a removed document stays as its revision', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    t.equal(await newest(store, [1]), undefined);
    await write(store, put([1], { n: 'first' }, { revision: 0 }));
    await write(other, put([1], { n: 'the same' }, { revision: 0 }));
    t.strictSame(await newest(store, [1]), { revision: 0, value: { n: 'first' } });
    await write(other, put([1], { n: 'newer' }, { revision: 7 }));
    await write(store, put([1], { n: 'older' }, { revision: 6 }), remove([1], { revision: 7 }));
    t.strictSame(await newest(store, [1]), { revision: 7, value: { n: 'newer' } });
    await write(store, remove([1], { revision: 8 }), remove([2], { revision: 3 }));
    t.equal(await read(store, [1]), undefined);
    t.strictSame(await documents(store, { prefix: [] }), []);
    t.strictSame(await newest(other, [1]), { revision: 8, value: undefined });
    t.strictSame(await newest(other, [2]), { revision: 3, value: undefined }, 'though there was nothing');
    await write(other, put([1], { n: 'late' }, { revision: 8 }), put([2], { n: 'back' }, { revision: 4 }));
    t.equal(await read(store, [1]), undefined);
    t.strictSame(await read(store, [2]), { n: 'back' });
    await write(store, put([3], {}, { revision: 2 ** 48 - 1 }));
    t.strictSame(await newest(store, [3]), { revision: 2 ** 48 - 1, value: {} });
    for await (const { key, revision } of store.find('things', { prefix: [2] }))
      t.strictSame([key, revision], [[2], 4]);
  });

  t.test('the newest of several come in the order of the keys', async (t) => {
    const { store } = await fresh(t);
    await write(store, put([1], 'one', { revision: 1 }), put([2], 'x'.repeat(100_000), { revision: 2 }));
    const found = await store.newest('things', [[2], [9], [1], [2]]);
    t.strictSame(
      found.map((one) => one && [one.revision, String(parse(one.value)).length]),
      [[2, 100_000], undefined, [1, 3], [2, 100_000]],
    );
  });

  t.test('a document is written by itself, whatever becomes of the others', async (t) => {
    const { store } = await fresh(t);
    await write(store, put([1], { n: 'newer' }, { revision: 5 }));
    await store.write([
      [put([1], { n: 'older' }, { revision: 4 }), put([2], { n: 'new' }, { revision: 4 })],
      [],
      [put([3], { n: 'behind' }, { revision: 4 })],
    ]);
    t.strictSame(await documents(store, { prefix: [] }), [{ n: 'newer' }, { n: 'new' }, { n: 'behind' }]);
  });

  t.test('an index leads to documents by its numbers, then in the order of their keys', async (t) => {
    const { store } = await fresh(t);
    await write(
      store,
      dated([7, 3], 0, [7, 50]),
      dated([7, 1], 0, [7, 60]),
      dated([7, 2], 0, [7, 50]),
      dated([7, 4], 0),
      dated([8, 1], 0, [8, 1]),
      dated([7, 'b'], 0, [7, -0.5]),
      put([7, 9], {}, { collection, revision: 0, indexed: { due: [7, 70], size: [3] } }),
    );
    t.strictSame(await indexed(store, { prefix: [7] }), [
      [7, 'b'],
      [7, 2],
      [7, 3],
      [7, 1],
      [7, 9],
    ]);
    t.strictSame(await indexed(store, { prefix: [7], upTo: 50 }), [
      [7, 'b'],
      [7, 2],
      [7, 3],
    ]);
    t.strictSame(await indexed(store, { prefix: [7], upTo: 49.9, limit: 5 }), [[7, 'b']]);
    t.strictSame(await indexed(store, { prefix: [7], limit: 2 }), [
      [7, 'b'],
      [7, 2],
    ]);
    t.strictSame(await indexed(store, { prefix: [7], limit: 0 }), []);
    t.strictSame(await indexed(store, { prefix: [], upTo: 7 }), await indexed(store, { prefix: [7] }));
    t.strictSame(await indexed(store, { prefix: [7], from: 50, upTo: 60 }), [
      [7, 2],
      [7, 3],
      [7, 1],
    ]);
    t.strictSame(await indexed(store, { prefix: [7], from: 50.1, upTo: 50 }), []);
    t.strictSame(await indexed(store, { prefix: [], from: 7.1, limit: 1 }), [[8, 1]]);
    t.strictSame(await indexed(store, { prefix: [], from: 9 }), []);
    t.equal((await indexed(store, { prefix: [] })).length, 6);
    t.strictSame(await indexed(store, { prefix: [] }, 'size'), [[7, 9]]);
    t.strictSame(await indexed(store, { prefix: [9] }), []);
  });

  t.test(
    'keys and entries are counted by ranges, documents that were removed among keys alone',
    async (t) => {
      const { store } = await fresh(t);
      await write(store, dated([7, 1], 1, [7, 50]), dated([7, 2], 1, [7, 60]), dated([7, 3], 1));
      await write(store, dated([8, 1], 1, [8, 50]), remove([7, 2], { collection, revision: 2 }));
      await write(store, put([7, 'a'], {}), put([7, 'b'], {}), put([7, 'c'], {}));
      const entries = (from: DocumentKey, to: DocumentKey) => ({ index: 'due', from, to });
      t.strictSame(
        await store.count(collection, [
          entries([7], [8]),
          entries([7, 50], [7, 50.1]),
          entries([7, 49], [7, 50]),
          entries([0], [9]),
          { from: [7], to: [8] },
          { from: [7, 2], to: [7, 3] },
        ]),
        [1, 1, 0, 2, 3, 1],
      );
      t.strictSame(await store.count('things', [{ from: [7, 'a'], to: [7, 'c'] }]), [2]);
      t.strictSame(await store.count('things', []), []);
      await t.rejects(async () => store.count('things', [entries([7], [8])]), /due/);
      await t.rejects(async () => store.count('nowhere', [{ from: [7], to: [8] }]), /nowhere/);
    },
  );

  t.test('its entries go with the documents, and are one state with them', async (t) => {
    const { store } = await fresh(t);
    await write(store, dated([7, 1], 1, [7, 50]), dated([7, 2], 1, [7, 60]));
    await write(store, dated([7, 1], 2, [7, 70]), dated([7, 2], 0, [7, 80]), dated([7, 2], 1, [7, 90]));
    t.strictSame(await indexed(store, { prefix: [7] }), [
      [7, 2],
      [7, 1],
    ]);
    t.strictSame(
      await indexed(store, { prefix: [7], upTo: 60 }),
      [[7, 2]],
      'what is left out leaves the entry',
    );
    await write(store, dated([7, 1], 3), remove([7, 2], { collection, revision: 2 }));
    t.strictSame(await indexed(store, { prefix: [7] }), []);
    await write(store, ...Array.from({ length: 1_200 }, (_, n) => dated([9, n], 0, [9, -n])));
    let seen = 0;
    for await (const { key, value } of store.findByIndex(collection, 'due', { prefix: [9] })) {
      if (seen === 1)
        await write(store, ...Array.from({ length: 1_200 }, (_, n) => dated([9, n], 1, [9, 0])));
      seen += 1;
      assert.deepEqual([key, parse(value)], [[9, 1_200 - seen], { revision: 0 }]);
    }
    t.equal(seen, 1_200);
  });

  t.test('what is declared nowhere, or in another way, is not written and not found', async (t) => {
    const { store } = await fresh(t);
    await t.rejects(store.get('nowhere', [1]), /nowhere/);
    await t.rejects(write(store, put([1], {}, { collection: 'nowhere' })), /nowhere/);
    await t.rejects(write(store, put([1], {}), dated([1], 0, [7])), UnwritableDocument);
    await t.rejects(write(store, put([1], {}, { indexed: { due: [7, 1] } })), UnwritableDocument);
    await t.rejects(store.findByIndex('things', 'due', { prefix: [] })[Symbol.asyncIterator]().next(), /due/);
    for (const revision of [-1, 0.5, NaN, 2 ** 48])
      await t.rejects(write(store, put([1], {}, { revision })), UnwritableDocument);
    t.equal(await read(store, [1]), undefined);
  });

  t.test('any writes, in any order, any of them twice, come to the newest of each document', async (t) => {
    t.comment(`TEST_SEED=${seed}`);
    const { store } = await fresh(t);
    const runs = { seed, numRuns: Math.max(20, Math.ceil(400 * scale)) };
    let company = 0;
    const property = fc.asyncProperty(
      fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 4 }),
      async (batches) => {
        company += 1;
        const space = company;
        const steps = new Map<string, Step>();
        for (const one of batches.flat()) if (!steps.has(nameOf(one))) steps.set(nameOf(one), one);
        // The same event always writes the same.
        for (const batch of batches)
          await store.write(batch.map((one) => [writeOf(space, steps.get(nameOf(one)) ?? one)]));
        const last = new Map<number, Step>();
        for (const one of steps.values())
          if ((last.get(one.at)?.revision ?? -1) < one.revision) last.set(one.at, one);
        const live = [...last.values()].filter(({ due }) => due !== undefined);
        const byKey = live.toSorted((a, b) => a.at - b.at).map(({ revision }) => ({ revision }));
        assert.deepEqual(await documents(store, { prefix: [space] }, collection), byKey);
        const byDue = live.filter(isDue).toSorted((a, b) => a.due - b.due || a.at - b.at);
        assert.deepEqual(
          await indexed(store, { prefix: [space] }),
          byDue.map(({ at }) => [space, at]),
        );
      },
    );
    await t.resolves(fc.assert(property, runs));
  });
  t.end();
}

/** One without `due` removes; `null` puts a document that stands in no index. */
interface Step {
  readonly at: number;
  readonly revision: number;
  readonly due: number | null | undefined;
}

const isDue = (step: Step): step is Step & { due: number } => typeof step.due === 'number';

const nameOf = ({ at, revision }: Step): string => `${at} ${revision}`;

const step: fc.Arbitrary<Step> = fc.record({
  at: fc.integer({ min: 1, max: 3 }),
  revision: fc.integer({ min: 0, max: 4 }),
  due: fc.constantFrom(1, 2, 3, null, undefined),
});

function writeOf(company: number, { at, revision, due }: Step): DocumentWrite {
  if (due === undefined) return remove([company, at], { collection, revision });
  return dated([company, at], revision, due === null ? undefined : [company, due]);
}
