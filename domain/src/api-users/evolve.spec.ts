import { GrowingMap } from './evolve.js';

import fc from 'fast-check';
import tap from 'tap';

const entries = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.string()), { maxLength: 100 });

tap.test('it holds what a Map holds, in its order, and each earlier one stays as it was', async () => {
  fc.assert(
    fc.property(entries, (added) => {
      const expected = new Map<number, string>();
      let map = new GrowingMap<number, string>();
      for (const [key, value] of added) {
        const [before, textBefore] = [map, JSON.stringify([...map.keys(), ...map.values()])];
        map = map.with(key, value);
        expected.set(key, value);
        if (JSON.stringify([...before.keys(), ...before.values()]) !== textBefore) return false;
      }
      const same = (one: Iterable<unknown>, other: Iterable<unknown>): boolean =>
        JSON.stringify([...one]) === JSON.stringify([...other]);
      const finds = (key: number): boolean =>
        map.get(key) === expected.get(key) && map.has(key) === expected.has(key);
      return (
        same(map.keys(), expected.keys()) &&
        same(map.values(), expected.values()) &&
        Array.from({ length: 32 }, (_, key) => finds(key)).every(Boolean)
      );
    }),
  );
});

tap.test('many additions copy each entry a few times only', async (t) => {
  const count = 4_096;
  let map = new GrowingMap<number, number>();
  let copied = 0;
  for (let key = 0; key < count; key++) {
    const known = new Set(map.levels);
    map = map.with(key, key);
    for (const level of map.levels) if (!known.has(level)) copied += level.size;
  }
  t.ok(copied <= count * 13, `${copied} copies of ${count} entries`);
  t.ok(map.levels.length <= 13);
});
