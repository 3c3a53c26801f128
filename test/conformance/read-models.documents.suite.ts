import assert from 'node:assert/strict';
import { ReadModelsUnavailable, UnwritableDocument, type DocumentKey } from '@rollcall/application';
import fc from 'fast-check';
import type { Test } from 'tap';
import type { OpenFresh } from './read-models.suite.js';
import { documents, keys, put, read, remove, write } from './read-models.support.js';
import { scale, seed } from '../support/scale.js';

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Strings that sort differently by code point, by locale, by UTF-8 and by length. */
const HARD = [
  '',
  '\u0000',
  'A',
  'a',
  'B',
  'b',
  'aa',
  'é',
  'z',
  'ä',
  '中',
  '\uD83D',
  '😀',
  '\uE000',
  '\uFFFD',
  '\uFFFF',
];

export function documentTests(t: Test, fresh: OpenFresh): void {
  t.test('what was put is got, until it is removed', async (t) => {
    const { store } = await fresh(t);
    t.equal(await read(store, [7]), undefined);
    await write(
      store,
      put([7], { a: 1 }),
      put([7, 'x'], { b: 'née 你好 🙂' }),
      put([7], { c: 1 }, { collection: 'others' }),
    );
    t.strictSame(await read(store, [7]), { a: 1 });
    t.strictSame(await read(store, [7, 'x']), { b: 'née 你好 🙂' });
    t.strictSame(await read(store, [7], 'others'), { c: 1 });
    await write(store, put([7], { a: 2 }), remove([7, 'x']), remove([8]));
    t.strictSame(await read(store, [7]), { a: 2 });
    t.equal(await read(store, [7, 'x']), undefined);
    t.strictSame(await read(store, [7], 'others'), { c: 1 });
  });

  t.test('older versions are deleted from one up to another, and nothing remains of them', async (t) => {
    const { store } = await fresh(t);
    const all: DocumentKey[] = [
      [6, 1, 1],
      [7],
      [7, 1, 0],
      [7, 1, 1],
      [7, 1, 3],
      [7, 1, 4],
      [7, 1, 5],
      [7, 2, 1],
      [8, 1, 1],
    ];
    await write(store, ...all.map((key) => put(key, { at: key }, { revision: 9 })));
    await write(store, remove([7, 1, 3]));
    await write(store, { op: 'delete-to', collection: 'things', key: [7, 1, 4], from: 1, revision: 1 });
    const left = [[6, 1, 1], [7], [7, 1, 0], [7, 1, 5], [7, 2, 1], [8, 1, 1]];
    t.strictSame(await keys(store, { prefix: [] }), left);
    t.strictSame(await store.newest('things', [[7, 1, 3]]), [undefined], 'not even the revision');
    await write(store, put([7, 1, 4], { again: true }, { revision: 2 }));
    t.strictSame(await read(store, [7, 1, 4]), { again: true });
  });

  t.test('one document is deleted, or its tombstone, and no neighbour', async (t) => {
    const { store } = await fresh(t);
    const all: DocumentKey[] = [[7], [7, 'a'], [7, 'ab'], [7, 'b'], [7, 'b\u0000'], [7, 'c']];
    await write(store, ...all.map((key) => put(key, {}, { revision: 9 })));
    await write(store, remove([7, 'b'], { revision: 10 }));
    const deletion = (key: DocumentKey) =>
      ({ op: 'delete-to', collection: 'things', key, revision: 0 }) as const;
    await write(store, deletion([7, 'a']), deletion([7, 'b']), deletion([7, 'd']));
    t.strictSame(await keys(store, { prefix: [] }), [[7], [7, 'ab'], [7, 'b\u0000'], [7, 'c']]);
    t.strictSame(await store.newest('things', [[7, 'a'], [7, 'b']]), [undefined, undefined], 'nothing remains'); // prettier-ignore
  });

  t.test('several are got in the order of the keys asked for', async (t) => {
    const { store } = await fresh(t);
    await write(store, put([1], { n: 1 }), put([2], { n: 2 }));
    const found = await store.getMany('things', [[2], [3], [1]], (value, place) => [
      place,
      value && Buffer.from(value).toString(),
    ]);
    t.strictSame(found, [
      [0, '{"n":2}'],
      [1, undefined],
      [2, '{"n":1}'],
    ]);
  });

  t.test('documents of any size come whole', async (t) => {
    const { store } = await fresh(t);
    const sizes = [0, 1, 1_000, 5_000, 70_000, 3_000_000];
    await write(store, ...sizes.map((size, n) => put([n], { text: 'é'.repeat(size) })));
    t.strictSame(
      (await documents(store, { prefix: [] })).map((found) => found),
      sizes.map((size) => ({ text: 'é'.repeat(size) })),
    );
  });

  t.test('bytes on shared memory and views into larger buffers are stored as they are', async (t) => {
    const { store } = await fresh(t);
    const shared = new Uint8Array(new SharedArrayBuffer(9)).fill(0x20);
    shared.set(Buffer.from('{"a":1}'), 2);
    const inside = Buffer.from('xx{"b":2}xx').subarray(2, 9);
    const common = { op: 'put', collection: 'things', revision: 1 } as const;
    await write(
      store,
      { ...common, key: [1], value: shared.subarray(2) },
      { ...common, key: [2], value: inside },
    );
    t.strictSame(await read(store, [1]), { a: 1 });
    t.strictSame(await read(store, [2]), { b: 2 });
  });

  t.test('keys are ordered by number, then by UTF-16 code unit', async (t) => {
    const { store } = await fresh(t);
    const numbers = [0, 1, 2, 10, 255, 256, 65_536, 2 ** 32, Number.MAX_SAFE_INTEGER, -1, -2, 0.5, -0.5];
    const sorted = numbers.toSorted((a, b) => a - b);
    await write(store, ...numbers.map((n) => put([n], {})), ...HARD.map((text) => put([10, text], {})));
    const tens: DocumentKey[] = [[10], ...HARD.toSorted(byCodeUnit).map((text): DocumentKey => [10, text])];
    const expected = sorted.flatMap((n): DocumentKey[] => (n === 10 ? tens : [[n]]));
    t.strictSame(await keys(store, { prefix: [] }), expected);
    t.strictSame(await keys(store, { prefix: [], reverse: true }), expected.toReversed());
    t.strictSame(await keys(store, { prefix: [10] }), tens);
  });

  t.test('0 and -0 are one number', async (t) => {
    const { store } = await fresh(t);
    await write(store, put([-0], { n: 1 }));
    await write(store, put([0], { n: 2 }));
    t.strictSame(await documents(store, { prefix: [] }), [{ n: 2 }]);
  });

  t.test('negative numbers come before all others', async (t) => {
    const { store } = await fresh(t);
    const all: DocumentKey[] = [
      [7, -300],
      [7, -2],
      [7, 0],
      [7, 1],
      [7, 300],
    ];
    await write(store, ...all.toReversed().map((key) => put(key, { at: key })));
    t.strictSame(await keys(store, { prefix: [7] }), all);
    t.strictSame(await keys(store, { prefix: [7], after: [7, 0] }), all.slice(3));
    t.strictSame(await read(store, [7, -300]), { at: [7, -300] });
  });

  t.test('pages by `after` and `limit`, forwards and backwards', async (t) => {
    const { store } = await fresh(t);
    const ids = ['a', 'b', 'c', 'd', 'e'];
    await write(store, ...ids.map((id) => put([7, id], {})), put([6, 'z'], {}), put([8, 'a'], {}));
    const found = async (options: { after?: string; limit?: number; reverse?: boolean }) => {
      const { after, ...rest } = options;
      const all = await keys(store, {
        prefix: [7],
        ...rest,
        ...(after !== undefined && { after: [7, after] }),
      });
      return all.map((key) => key[1]).join('');
    };
    t.equal(await found({}), 'abcde');
    t.equal(await found({ after: 'b' }), 'cde');
    t.equal(await found({ after: 'bb' }), 'cde', 'behind a key that is not there');
    t.equal(await found({ limit: 2 }), 'ab');
    t.equal(await found({ after: 'b', limit: 2 }), 'cd');
    t.equal(await found({ after: 'e' }), '');
    t.equal(await found({ limit: 0 }), '');
    t.equal(await found({ reverse: true }), 'edcba');
    t.equal(await found({ reverse: true, after: 'c' }), 'ba');
    t.equal(await found({ reverse: true, after: 'cc', limit: 2 }), 'cb');
    t.equal(await found({ reverse: true, after: 'a' }), '');
    t.strictSame(await keys(store, { prefix: [7], after: [6, 'z'], limit: 1 }), [[7, 'a']]);
    t.strictSame(await keys(store, { prefix: [7], after: [8, 'a'], limit: 1 }), []);
    t.strictSame(await keys(store, { prefix: [7], after: [8, 'a'], limit: 1, reverse: true }), [[7, 'e']]);
    t.strictSame(await keys(store, { prefix: [7], after: [6, 'z'], limit: 1, reverse: true }), []);
    t.strictSame(await keys(store, { prefix: [9] }), []);
  });

  t.test('any keys come in the order of JavaScript, from anywhere', async (t) => {
    t.comment(`TEST_SEED=${seed}`);
    const { store } = await fresh(t);
    const text = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 4 });
    const id = text.map((units) => String.fromCharCode(...units));
    const runs = { seed, numRuns: Math.max(10, Math.ceil(200 * scale)) };
    let company = 0;
    const property = fc.asyncProperty(fc.array(id, { maxLength: 30 }), id, async (ids, from) => {
      company += 1;
      const space = company;
      await write(store, ...ids.map((one) => put([space, one], {})));
      const sorted = [...new Set(ids)].sort(byCodeUnit);
      const after: DocumentKey = [space, from];
      const texts = (found: DocumentKey[]) => found.map((key) => key[1]);
      assert.deepEqual(
        texts(await keys(store, { prefix: [space], after })),
        sorted.filter((one) => one > from),
      );
      const backwards = await keys(store, { prefix: [space], after, reverse: true });
      assert.deepEqual(texts(backwards), sorted.filter((one) => one < from).reverse());
    });
    await t.resolves(fc.assert(property, runs));
  });

  t.test('an iteration sees one state, whatever is written meanwhile', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    const count = 2_500;
    const all = (version: number) => Array.from({ length: count }, (_, n) => put([7, n], { version }));
    await write(store, ...all(1));
    const versions = new Set<unknown>();
    let seen = 0;
    for await (const { value } of store.find('things', { prefix: [7] })) {
      if (seen === 1) await write(other, ...all(2));
      if (seen === 1_000) await write(other, ...Array.from({ length: count }, (_, n) => remove([7, n])));
      versions.add(Buffer.from(value).toString());
      seen += 1;
    }
    t.equal(seen, count);
    t.strictSame([...versions], ['{"version":1}']);
    t.strictSame(await keys(store, { prefix: [7] }), []);
  });

  t.test('an iteration that is left early, or cut off by closing, harms nobody', async (t) => {
    const { store, under } = await fresh(t);
    await write(store, ...Array.from({ length: 2_000 }, (_, n) => put([7, n], {})));
    const other = await under.open();
    for await (const document of other.find('things', { prefix: [7] })) if (document.key[1] === 3) break;
    const running = other.find('things', { prefix: [7] })[Symbol.asyncIterator]();
    await running.next();
    await other.close();
    await t.rejects(
      async () => {
        while ((await running.next()).done !== true);
      },
      { name: 'ReadModelsUnavailable' },
    );
    t.equal((await keys(store, { prefix: [7] })).length, 2_000);
  });

  t.test('a write that is impossible is refused, and everything with it', async (t) => {
    const { store } = await fresh(t);
    const long = put([7, 'x'.repeat(4_000)], {});
    await t.rejects(store.write([[put([1], {})], [long]]), UnwritableDocument);
    await t.rejects(store.write([[put([1], {}), put([NaN], {})]]), UnwritableDocument);
    t.equal(await read(store, [1]), undefined);
    await write(store, put([7, 'x'.repeat(500)], {}));
    t.equal((await keys(store, { prefix: [7] })).length, 1);
  });

  t.test('a closed store is away', async (t) => {
    const { under } = await fresh(t);
    const store = await under.open();
    await store.close();
    await store.close();
    await t.rejects(store.get('things', [1]), ReadModelsUnavailable);
    await t.rejects(write(store), ReadModelsUnavailable);
    await t.rejects(keys(store, { prefix: [] }), ReadModelsUnavailable);
  });
  t.end();
}
