import fc from 'fast-check';
import t from 'tap';
import type { FindOptions, StoredDocument } from '../ports/read-models.js';
import { changeDocument, changesBack, NamedNumbers, type SetChange } from './employee-changes.js';

/** Documents by key, as a store orders them. */
class Documents {
  readonly #byKey = new Map<string, StoredDocument>();

  put(companyId: number, change: SetChange): void {
    const { key, behind } = changeDocument(companyId, change);
    const value = behind(this.#byKey.get(key.join())?.value);
    this.#byKey.set(key.join(), { key, revision: change[0], value });
  }

  *find(_: string, { prefix, after }: FindOptions): Generator<StoredDocument> {
    const order = ({ key }: StoredDocument): number => Number(key[1]) * 1e9 + Number(key[2]);
    const before = after === undefined ? Infinity : Number(after[1]) * 1e9;
    const all = [...this.#byKey.values()].filter((one) => one.key[0] === prefix[0] && order(one) < before);
    yield* all.sort((one, other) => order(other) - order(one));
  }
}

const event = fc.record({
  gap: fc.integer({ min: 1, max: 40 }),
  numbers: fc.uniqueArray(fc.integer({ min: 1, max: 400 }), { maxLength: 120 }),
});

const named = (numbers: readonly number[]): NamedNumbers => {
  const all = new NamedNumbers();
  for (const number of numbers) all.add(number);
  return all;
};

t.test('changes are found again, the newest first, from any revision on', async (t) => {
  const events = fc.array(event, { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(events, fc.option(fc.nat(1_200), { nil: undefined }), async (all, from) => {
      const documents = new Documents();
      let revision = 0;
      const put = all.map(({ gap, numbers }) => {
        revision += gap;
        const change: SetChange = [revision, 5 * revision, numbers.length, ...named(numbers).ranges];
        documents.put(7, change);
        documents.put(8, [revision, 0, -1]);
        return change;
      });
      const found: SetChange[] = [];
      const store = {
        findBatches: (...asked: Parameters<Documents['find']>) => asyncOf([[...documents.find(...asked)]]),
      };
      for await (const some of changesBack(store, 7, { from })) found.push(...some);
      const expected = put.filter(([own]) => own <= (from ?? Infinity)).reverse();
      t.strictSame(found, expected);
      const moment = 5 * (from ?? 600);
      const old: SetChange[] = [];
      for await (const some of changesBack(store, 7, { upTo: () => moment })) old.push(...some);
      const isOld = ([, at]: SetChange): boolean => at <= moment;
      t.strictSame(old.filter(isOld), put.filter(isOld).reverse());
    }),
    { numRuns: 200 },
  );
});

async function* asyncOf<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

t.test('numbers in a row are one range', (t) => {
  t.strictSame(named([1, 2, 3, 7, 9, 10, 4]).ranges, [1, 3, 7, 1, 9, 2, 4, 1]);
  t.end();
});
