import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { BoundedCache } from './bounded-cache.js';

const step = fc.record({
  do: fc.constantFrom('set' as const, 'set' as const, 'delete' as const),
  key: fc.nat(6),
  value: fc.nat(9),
  /** What is drawn meanwhile. */
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
});

const heldBy = (cache: BoundedCache<number, number>): Map<number, number> =>
  new Map(
    [0, 1, 2, 3, 4, 5, 6].flatMap((key) => {
      const value = cache.get(key);
      return value === undefined ? [] : [[key, value]];
    }),
  );

const sum = (sizes: Iterable<number>): number => [...sizes].reduce((all, one) => all + one, 0);

t.test('it holds what was set last, and for it removes no more than it must', (t) => {
  const most = fc.integer({ min: 1, max: 20 });
  const property = fc.property(fc.array(step, { maxLength: 60 }), most, (steps, most) => {
    let random = 0;
    const cache = new BoundedCache<number, number>({ most, sizeOf: (value) => value, random: () => random });
    for (const { do: what, key, value, ...drawn } of steps) {
      ({ random } = drawn);
      const expected = heldBy(cache);
      expected.delete(key);
      cache[what](key, value);
      const held = heldBy(cache);
      if (what === 'set') expected.set(key, value);
      const removed = [...expected.keys()].filter((one) => !held.has(one));
      const sizes = removed.map((one) => expected.get(one) ?? 0);
      for (const one of removed) expected.delete(one);
      assert.deepEqual(held, expected);
      if (removed.length > 0) assert.ok(what === 'set' && sum(held.values()) + Math.max(...sizes) > most);
      assert.ok(sum(held.values()) <= most || held.size === 1);
      assert.equal(held.has(key), what === 'set');
    }
  });
  t.doesNotThrow(() => fc.assert(property));
  t.end();
});

t.test('without a size it counts entries; what is drawn says which one goes', (t) => {
  for (const [drawn, held] of [
    [0, [undefined, 'b', 'c']],
    [0.999, ['a', undefined, 'c']],
  ] as const) {
    const cache = new BoundedCache<string, string>({ most: 2, random: () => drawn });
    for (const key of ['a', 'b', 'b', 'c']) cache.set(key, key);
    t.strictSame(
      ['a', 'b', 'c'].map((key) => cache.get(key)),
      held,
    );
  }
  t.end();
});

t.test('a fifth too many by turns: it finds most of them', (t) => {
  const [most, all, rounds] = [1_000, 1_200, 10];
  let drawn = 1;
  const random = (): number => (drawn = (drawn * 48_271) % 0x7fff_ffff) / 0x7fff_ffff;
  const cache = new BoundedCache<number, number>({ most, random });
  let found = 0;
  for (let turn = 0; turn < rounds * all; turn += 1) {
    const key = turn % all;
    if (cache.get(key) === key) found += 1;
    else cache.set(key, key);
  }
  t.ok(found > (rounds - 1) * all * 0.55, `found ${found}`);
  t.end();
});
