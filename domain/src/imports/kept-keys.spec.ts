import assert from 'node:assert/strict';
import fc from 'fast-check';
import tap from 'tap';
import { scaled } from '@rollcall/employee-lists/testing';
import { KeptKeys, keyLifetimeMs } from './kept-keys.js';
import type { KeptKey } from './pending.js';

const start = Date.parse('2026-11-21T08:00:00Z');
const key = (operationId: string, minutes = 0): KeptKey => ({
  operationId,
  bodySha256: 'b'.repeat(64),
  at: new Date(start + minutes * 60_000).toISOString(),
  answer: { status: 202 },
});

tap.test('a key is kept for 24 hours', (t) => {
  const keys = KeptKeys.of([]).with('k', key('1'));
  t.equal(keys.get('k', start + keyLifetimeMs - 1)?.operationId, '1');
  t.equal(keys.get('k', start + keyLifetimeMs), undefined);
  t.equal(KeptKeys.of([]).get('k', start), undefined, 'the value before has not changed');
  t.end();
});

tap.test('a key is freed only by the operation that holds it', (t) => {
  const keys = KeptKeys.of([]).with('k', key('1'));
  t.equal(keys.freed('k', '2').get('k', start)?.operationId, '1');
  t.equal(keys.freed('l', '1'), keys);
  const freed = keys.freed('k', '1');
  t.equal(freed.get('k', start), undefined);
  t.same(freed.entries(), []);
  t.equal(freed.with('k', key('3')).get('k', start)?.operationId, '3', 'and may be taken again');
  t.end();
});

tap.test('keys whose time is over do not gather', (t) => {
  let keys = KeptKeys.of([]);
  for (let minute = 0; minute < 10_000; minute++) {
    keys = keys.with(`${minute}`, key('1', minute));
    const dayOld = minute - 24 * 60 + 1;
    if (dayOld >= 0) assert.ok(keys.get(`${dayOld}`, start + minute * 60_000), 'and no other is dropped');
  }
  t.ok(keys.size < 25 * 60 + 600);
  t.equal(keys.get('9999', start + 10_000 * 60_000)?.operationId, '1');
  t.end();
});

tap.test('how many count is known to the hour', (t) => {
  let keys = KeptKeys.of([]);
  for (let i = 0; i < 1_000; i++) keys = keys.with(`${i}`, key(`${i}`, i % 60));
  keys = keys.with('1', key('again')).freed('2', '2');
  t.equal(keys.size, 999);
  t.equal(keys.kept(start + keyLifetimeMs), 999);
  t.equal(keys.kept(start + keyLifetimeMs + 60 * 60_000), 0, 'none of them keeps others out for ever');
  t.equal(KeptKeys.of(keys.entries()).kept(start), 999);
  t.end();
});

tap.test('the same as one map, whatever is done', (t) => {
  const change = fc.record({
    hash: fc.integer({ min: 0, max: 400 }).map(String),
    operation: fc.constantFrom('1', '2'),
    frees: fc.boolean(),
    minutes: fc.nat({ max: 5 }),
  });
  fc.assert(
    fc.property(fc.array(change, { minLength: 300, maxLength: 1500 }), (changes) => {
      const model = new Map<string, KeptKey>();
      let keys = KeptKeys.of([]);
      let minute = 0;
      for (const { hash, operation, frees, minutes } of changes) {
        minute += minutes;
        if (frees && model.get(hash)?.operationId === operation) model.delete(hash);
        if (!frees) model.set(hash, key(operation, minute));
        keys = frees ? keys.freed(hash, operation) : keys.with(hash, key(operation, minute));
      }
      const now = start + minute * 60_000;
      const younger = (all: Iterable<readonly [string, KeptKey]>): Map<string, KeptKey> =>
        new Map([...all].filter(([, { at }]) => now - Date.parse(at) < keyLifetimeMs));
      const expected = younger(model);
      for (let hash = 0; hash <= 400; hash++)
        assert.deepEqual(keys.get(String(hash), now), expected.get(String(hash)));
      assert.deepEqual(younger(keys.entries()), expected);
      assert.deepEqual(younger(KeptKeys.of(keys.entries()).entries()), expected);
    }),
    scaled(200, (text) => t.comment(text)),
  );
  t.end();
});

tap.test('a key that was freed does not come back, however many are taken or freed after it', (t) => {
  let keys = KeptKeys.of([]);
  for (let i = 0; i < 512; i++) keys = keys.with(`old ${i}`, key(String(i)));
  for (let i = 0; i < 512; i++) keys = keys.freed(`old ${i}`, String(i));
  for (let i = 0; i < 600; i++) keys = keys.with(`new ${i}`, key('n'));
  for (let i = 0; i < 512; i++) t.equal(keys.get(`old ${i}`, start), undefined, String(i));
  t.equal(keys.entries().length, 600);
  t.end();
});

tap.test('a snapshot and its tail equal a fold from the beginning, as time goes on', (t) => {
  const step = fc.record({
    from: fc.integer({ min: 0, max: 600 }),
    count: fc.integer({ min: 1, max: 300 }),
    operation: fc.constantFrom('1', '2'),
    frees: fc.boolean(),
    minutes: fc.integer({ min: 0, max: 400 }),
    isSnapshot: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 30 }), (steps) => {
      let [folded, resumed] = [KeptKeys.of([]), KeptKeys.of([])];
      let minute = 0;
      for (const { from, count, operation, frees, minutes, isSnapshot } of steps) {
        minute += minutes;
        if (isSnapshot) resumed = KeptKeys.of(resumed.entries());
        const change = (keys: KeptKeys, hash: string): KeptKeys =>
          frees ? keys.freed(hash, operation) : keys.with(hash, key(operation, minute));
        for (let hash = from; hash < from + count; hash++)
          [folded, resumed] = [change(folded, String(hash)), change(resumed, String(hash))];
        const now = start + minute * 60_000;
        for (let hash = 0; hash < 900; hash += 7)
          assert.deepEqual(folded.get(String(hash), now), resumed.get(String(hash), now));
      }
    }),
    scaled(100, (text) => t.comment(text)),
  );
  t.end();
});
