import fc from 'fast-check';
import t from 'tap';
import { LruCache } from './lru-cache.js';

interface Step {
  readonly do: 'get' | 'set' | 'delete';
  readonly key: number;
  readonly value: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom('get', 'set', 'set', 'delete'),
  key: fc.nat(6),
  value: fc.nat(9),
});

type Entries = readonly (readonly [key: number, value: number])[];

/** The least recently used first. */
function afterStep(entries: Entries, { do: what, key, value }: Step, most: number): Entries {
  const others = entries.filter(([one]) => one !== key);
  if (what === 'delete') return others;
  if (what === 'get') return [...others, ...entries.filter(([one]) => one === key)];
  const all: Entries = [...others, [key, value]];
  const fits = (from: number): boolean => all.slice(from).reduce((sum, [, size]) => sum + size, 0) <= most;
  const from = all.findIndex((_, index) => index === all.length - 1 || fits(index));
  return all.slice(from);
}

t.test('it holds what was used last, as far as that fits', (t) => {
  const property = fc.property(
    fc.array(step, { maxLength: 60 }),
    fc.integer({ min: 1, max: 20 }),
    (steps, most) => {
      const cache = new LruCache<number, number>({ most, sizeOf: (value) => value });
      let model: Entries = [];
      for (const one of steps) {
        if (one.do === 'set') cache.set(one.key, one.value);
        else cache[one.do](one.key);
        model = afterStep(model, one, most);
      }
      const expected = new Map(model);
      for (let key = 0; key <= 6; key += 1) t.equal(cache.get(key), expected.get(key));
    },
  );
  t.doesNotThrow(() => fc.assert(property));
  t.end();
});

t.test('it counts entries unless it is told a size', (t) => {
  const cache = new LruCache<string, string>({ most: 2 });
  for (const key of ['a', 'b']) cache.set(key, key);
  cache.get('a');
  cache.set('c', 'c');
  t.strictSame(
    ['a', 'b', 'c'].map((key) => cache.get(key)),
    ['a', undefined, 'c'],
  );
  t.end();
});
