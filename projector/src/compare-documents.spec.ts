import fc from 'fast-check';
import type { ReadModelReader, StoredDocument } from '@rollcall/application/read';
import tap from 'tap';
import { differentDocuments } from './compare-documents.js';

const json = (value: number): Uint8Array => Buffer.from(JSON.stringify({ value }));

type Numbers = ReadonlyMap<number, number>;

/** Gives documents [number] in batches of these sizes, which are valid until the next is requested. */
function readerOf(documents: Numbers, sizes: readonly number[]): ReadModelReader {
  const all = [...documents].sort(([one], [other]) => one - other);
  async function* findBatches(): AsyncGenerator<readonly StoredDocument[]> {
    for (let at = 0, turn = 0; at < all.length; turn += 1) {
      const size = sizes[turn % sizes.length] ?? 1;
      const batch = all
        .slice(at, at + size)
        .map(([key, value]) => ({ key: [key], revision: 1, value: json(value) }));
      at += size;
      yield await Promise.resolve(batch);
      for (const { value } of batch) value.fill(0);
    }
  }
  return { findBatches } as unknown as ReadModelReader;
}

function expected(live: Numbers, rebuilt: Numbers): unknown[] {
  const numbers = [...new Set([...live.keys(), ...rebuilt.keys()])].sort((one, other) => one - other);
  return numbers.flatMap((number, at) => {
    const place = { collection: 'things', key: [number], ordinal: at + 1 };
    const [own, other] = [live.get(number), rebuilt.get(number)];
    if (own === other) return [];
    if (own === undefined) return [{ ...place, what: 'missing', members: [] }];
    if (other === undefined) return [{ ...place, what: 'superfluous', members: [] }];
    return [{ ...place, what: 'other', members: ['value'] }];
  });
}

const stored = fc
  .array(fc.tuple(fc.nat(12), fc.nat(1)), { maxLength: 12 })
  .map((all): Numbers => new Map(all));
const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });

tap.test('all documents are compared, in whatever batches two stores give them', async (t) => {
  const property = fc.asyncProperty(stored, stored, sizes, sizes, async (live, rebuilt, some, others) => {
    const found: unknown[] = [];
    let count = 0;
    for await (const seen of differentDocuments('things', readerOf(live, some), readerOf(rebuilt, others)))
      if (typeof seen === 'number') count += seen;
      else found.push(seen);
    t.strictSame(found, expected(live, rebuilt));
    t.equal(count, new Set([...live.keys(), ...rebuilt.keys()]).size);
  });
  await fc.assert(property, { numRuns: 200 });
});
