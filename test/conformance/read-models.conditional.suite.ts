import assert from 'node:assert/strict';
import { UnwritableDocument, type DocumentWrite } from '@rollcall/application';
import fc from 'fast-check';
import type { Test } from 'tap';
import type { OpenFresh } from './read-models.suite.js';
import { at, documents, put, read, remove, write, type IfStored } from './read-models.support.js';
import { scale } from '../support/scale.js';

const open: IfStored = { member: 'end', in: [null] };

export function conditionalTests(t: Test, fresh: OpenFresh): void {
  t.test('`ifStored` looks at the document that is stored', async (t) => {
    const { store } = await fresh(t);
    const late = put([1], { end: null, n: 2 }, { ifStored: open });
    await write(store, late);
    t.equal(await read(store, [1]), undefined, 'nothing is stored: nothing is written');
    await write(store, put([1], { end: null, n: 1 }));
    await write(store, late);
    t.strictSame(await read(store, [1]), { end: null, n: 2 });
    await write(store, put([1], { end: 'now', n: 3 }));
    await write(store, late);
    t.strictSame(await read(store, [1]), { end: 'now', n: 3 });
    await write(store, remove([1]));
    await write(store, late);
    t.equal(await read(store, [1]), undefined, 'a removed document is none');
  });

  t.test('the value is one of several, of the same kind, and a member that is absent has none', async (t) => {
    const { store } = await fresh(t);
    const ifStored: IfStored = { member: 'state', in: ['1', 2, null, 'två'] };
    const states: [unknown, boolean][] = [
      ['1', true],
      [1, false],
      [2, true],
      ['2', false],
      [null, true],
      ['null', false],
      ['två', true],
      ['', false],
      [0, false],
      [false, false],
      [[null], false],
      [{ state: 2 }, false],
    ];
    await write(store, ...states.map(([state], n) => put([n], { state })), put([99], { other: 2 }));
    const wanted = (n: number): DocumentWrite => put([n], { written: true }, { ifStored });
    await write(store, ...states.map((_, n) => wanted(n)), wanted(99));
    for (const [n, [state, expected]] of states.entries())
      t.strictSame(
        await read(store, [n]),
        expected ? { written: true } : { state },
        `stored: ${JSON.stringify(state)}`,
      );
    t.strictSame(await read(store, [99]), { other: 2 });
    const never = put([2], { written: 'no' }, { ifStored: { member: 'written', in: [] } });
    await write(store, never);
    t.strictSame(await read(store, [2]), { written: true }, 'one of no values');
  });

  t.test('`unless` looks at another document, as it was before the batch', async (t) => {
    const { store } = await fresh(t);
    const unless = { collection: 'others', key: [1] };
    const other = put([1], {}, { collection: 'others' });
    await write(store, put([1], { n: 1 }, { unless }));
    t.strictSame(await read(store, [1]), { n: 1 });
    await write(store, other, put([1], { n: 2 }, { unless }));
    t.strictSame(await read(store, [1]), { n: 2 }, 'what the same batch stores does not count');
    await write(store, put([1], { n: 3 }, { unless }), put([2], { n: 3 }, { unless }), put([3], { n: 3 }));
    t.strictSame(await read(store, [1]), { n: 2 });
    t.equal(await read(store, [2]), undefined);
    t.strictSame(await read(store, [3]), { n: 3 }, 'others are written');
    await write(store, put([1], { n: 4 }, { unless }), put([1], { n: 5 }, { keep: ['a'] }));
    t.strictSame(await read(store, [1]), { n: 5 });
    await write(store, remove([1], 'others'));
    await write(store, put([1], { n: 6 }, { unless }));
    t.strictSame(await read(store, [1]), { n: 6 }, 'a removed one forbids nothing');
  });

  t.test('`ifStored` sees what earlier writes of the same transaction leave behind', async (t) => {
    const { store } = await fresh(t);
    await write(
      store,
      put([1], { end: null, n: 1 }, { ifStored: open }),
      put([1], { end: null, n: 2 }),
      put([1], { end: null, n: 3 }, { ifStored: open }),
      put([1], { end: null, n: 4 }, { ifStored: open }),
      put([1], { end: 'now', n: 5 }, { ifStored: open }),
      put([1], { end: null, n: 6 }, { ifStored: open }),
      put([2], { end: null }),
      remove([2]),
      put([2], { end: null, n: 1 }, { ifStored: open }),
      put([3], { end: null, n: 1 }, { collection: 'others' }),
      put([3], { end: null, n: 2 }, { ifStored: open }),
    );
    t.strictSame(await documents(store, { prefix: [] }), [{ end: 'now', n: 5 }]);
    await write(
      store,
      put([1], { end: null, n: 7 }, { ifStored: open }),
      put([1], { end: null, n: 8 }),
      put([1], { end: null, n: 9 }, { ifStored: open }),
    );
    t.strictSame(await read(store, [1]), { end: null, n: 9 });
  });

  t.test(
    '`ifStored` and `keep` together: what is written keeps, what is left out changes nothing',
    async (t) => {
      const { store } = await fresh(t);
      const keep = ['who', 'since', 'absent'];
      const next = (n: number, end: string | null = null): DocumentWrite =>
        put([1], { who: '-', since: '-', end, n }, { keep, ifStored: open });
      await write(store, next(0), put([1], { who: 'ann', since: 'x', end: null, n: 1 }), next(2), next(3));
      t.strictSame(await read(store, [1]), { who: 'ann', since: 'x', end: null, n: 3 });
      await write(store, next(4, 'now'), next(5), next(6));
      t.strictSame(await read(store, [1]), { who: 'ann', since: 'x', end: 'now', n: 4 });
      await write(store, put([1], { who: '-', end: 'later' }, { keep }));
      t.strictSame(await read(store, [1]), { who: 'ann', since: 'x', end: 'later' });
    },
  );

  t.test('only a JSON object can be asked', async (t) => {
    const { store } = await fresh(t);
    await write(store, put([1], []), { op: 'put', collection: 'things', key: [2], json: Buffer.from('"x"') });
    const progress = await store.progress();
    const asked = store.apply(progress, [put([2], {}, { ifStored: open })], at(2n));
    await t.rejects(asked, UnwritableDocument);
    t.equal(await read(store, [2]), 'x');
  });

  t.test('any writes, in any batches, come to what a list of them one by one comes to', async (t) => {
    const seed = Date.now() % 1_000_000;
    t.comment(`seed ${seed}`);
    const { store } = await fresh(t);
    const runs = { seed, numRuns: Math.max(20, Math.ceil(400 * scale)) };
    let company = 0;
    const property = fc.asyncProperty(
      fc.array(fc.array(step, { maxLength: 8 }), { maxLength: 4 }),
      async (batches) => {
        company += 1;
        const model = new Map<number, Document>();
        for (const batch of batches) {
          await write(store, ...batch.map((one) => writeOf(company, one)));
          for (const one of batch) follow(model, one);
        }
        const expected = [...model].sort(([a], [b]) => a - b).map(([, document]) => document);
        assert.deepEqual(await documents(store, { prefix: [company] }), expected);
      },
    );
    await t.resolves(fc.assert(property, runs));
  });

  t.end();
}

type Document = Readonly<Record<string, unknown>>;
type Step = Readonly<{ at: number; document?: Document; keep?: string[]; ifStored?: IfStored }>;

const value = fc.constantFrom(null, 1, '1', 'x');
const document = fc.record({ end: value, a: value, b: value }, { requiredKeys: [] });
const step: fc.Arbitrary<Step> = fc.record(
  {
    at: fc.integer({ min: 1, max: 3 }),
    document,
    keep: fc.subarray(['a', 'b']),
    ifStored: fc.record({ member: fc.constantFrom('end', 'a'), in: fc.subarray([null, 1, '1', 'x']) }),
  },
  { requiredKeys: ['at'] },
);

/** A step without a document removes. */
const writeOf = (company: number, { at, document, ...conditions }: Step): DocumentWrite =>
  document === undefined ? remove([company, at]) : put([company, at], document, conditions);

function follow(model: Map<number, Document>, { at, document, keep = [], ifStored }: Step): void {
  const old = model.get(at);
  if (document === undefined) model.delete(at);
  else if (ifStored === undefined || isAmong(old, ifStored)) {
    const kept = Object.entries(old ?? {}).filter(([name]) => keep.includes(name));
    model.set(at, { ...document, ...Object.fromEntries(kept) });
  }
}

const isAmong = (document: Document | undefined, { member, in: values }: IfStored): boolean =>
  document !== undefined && values.some((one) => Object.is(one, document[member]));
