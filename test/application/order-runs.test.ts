import assert from 'node:assert/strict';
import {
  decodeDirectory,
  decodeRun,
  encodeDirectory,
  encodeRun,
  idsIn,
  joinedRuns,
  numberIn,
  type OrderChanges,
  type OrderDirectory,
  type OrderEntry,
  type OrderRun,
  orderSteps,
  partBehind,
  placeOfRun,
  RESTING_SLOTS,
  rewritten,
  RUN_ENTRIES,
  runOf,
  Slots,
  type StoredDirectory,
  type OrderPlace,
  runsBehind,
  type RunText,
  textOfRun,
} from '@rollcall/application';
import fc from 'fast-check';
import t from 'tap';
import { scale, seed } from '../support/scale.js';

/** As the projector does it: runs by their slots. */
class Order {
  stored: StoredDirectory = { directory: [], free: [] };
  readonly runs = new Map<number, Uint8Array>();
  written = 0;

  get directory(): OrderDirectory {
    return this.stored.directory;
  }

  run(place: OrderPlace): OrderRun {
    return decodeRun(this.runs.get(place.slot), place) ?? [];
  }

  text(place: OrderPlace): RunText {
    const text = textOfRun(this.runs.get(place.slot), place);
    assert.ok(text);
    return text;
  }

  apply(revision: number, changes: OrderChanges): void {
    const next: OrderPlace[] = [];
    const replaced: OrderPlace[] = [];
    const slots = new Slots(this.stored);
    const resting = new Set(this.stored.free.slice(-RESTING_SLOTS));
    this.written = 0;
    for (const step of orderSteps(this.directory, changes)) {
      if ('kept' in step) {
        next.push(step.kept);
        continue;
      }
      for (const run of rewritten(
        step,
        step.replaced.map((place) => this.run(place)),
      )) {
        const place = placeOfRun(run, revision, slots.take());
        assert.ok(!resting.has(place.slot) && this.directory.every(({ slot }) => slot !== place.slot));
        this.runs.set(place.slot, encodeRun(run, place));
        this.written += 1;
        next.push(place);
      }
      replaced.push(...step.replaced);
    }
    const free = slots.freeBehind(replaced);
    this.stored = decodeDirectory(encodeDirectory({ directory: next, free }));
    const all = [...free, ...next.map(({ slot }) => slot)].sort((one, other) => one - other);
    assert.deepEqual(
      all,
      Array.from(all, (_, at) => at),
    );
  }

  get entries(): OrderRun {
    return this.directory.flatMap((place) => this.run(place));
  }
}

const byId = (one: OrderEntry, other: OrderEntry): number => (one[0] < other[0] ? -1 : 1);
const sorted = (model: ReadonlyMap<string, number>): OrderRun => [...model].sort(byId);
const id = fc.oneof(
  fc.nat(8 * RUN_ENTRIES).map((n) => `E${n}`),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
);

/** Some that are there, by their places, and those that are not. */
function idsThatGo(
  all: readonly string[],
  places: readonly number[],
  unknown: readonly string[],
): Set<string> {
  const some = places.map((n) => all[n % Math.max(1, all.length)] ?? '');
  return new Set([...some, ...unknown.filter((one) => !all.includes(one))]);
}

t.test('the order is that of a sorted list, whatever comes and goes', (t) => {
  const event = fc.record({
    crowd: fc.constantFrom(0, 0, 3 * RUN_ENTRIES),
    added: fc.array(id, { maxLength: 30 }),
    removed: fc.array(fc.nat(), { maxLength: 40 }),
    unknown: fc.array(id, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 6 }), id, (events, wanted) => {
      const model = new Map<string, number>();
      const order = new Order();
      let number = 0;
      for (const [at, { crowd, added, removed, unknown }] of events.entries()) {
        const gone = idsThatGo([...model.keys()], removed, unknown);
        for (const one of gone) model.delete(one);
        const coming = new Map<string, number>();
        for (const one of [...added, ...Array.from({ length: crowd }, (_, n) => `C${at}-${n}`)])
          if (!model.has(one)) coming.set(one, (number += 1));
        for (const [one, its] of coming) model.set(one, its);
        order.apply(at, { added: sorted(coming), removed: [...gone].sort() });
        t.ok(order.directory.every(({ count }) => count > 0 && count <= RUN_ENTRIES));
        t.strictSame(order.entries, sorted(model));
      }
      const [run] = [order.directory[runOf(order.directory, wanted)]];
      t.equal(run && numberIn(order.text(run), wanted), model.get(wanted));
      const behind = runsBehind(order.directory, wanted)
        .map((place) => partBehind(order.text(place), wanted))
        .filter(({ numbers }) => numbers.length > 0);
      const all = joinedRuns(behind);
      const idAt = idsIn(all);
      t.strictSame(
        all.numbers.map((one, at) => [idAt(at), one]),
        sorted(model).filter(([each]) => each > wanted),
      );
    }),
    { numRuns: Math.ceil(200 * scale), seed },
  );
  t.end();
});

t.test('only the runs that are touched are written', (t) => {
  const order = new Order();
  const many = new Map(Array.from({ length: 10 * RUN_ENTRIES }, (_, n) => [`E${100_000 + n}`, n]));
  order.apply(0, { added: sorted(many), removed: [] });
  t.equal(order.written, 10);
  const later: OrderRun = [['E100000a', 9]];
  order.apply(1, { added: later, removed: ['E105000'] });
  t.equal(order.written, 3);
  order.apply(2, { added: [], removed: [...many.keys()].sort() });
  t.strictSame(order.entries, later);
  t.end();
});

t.test('whatever is changed and however often: there are no more slots than two states need', (t) => {
  const order = new Order();
  const many = Array.from({ length: 10 * RUN_ENTRIES }, (_, n): OrderEntry => [`E${100_000 + n}`, n]);
  order.apply(0, { added: many, removed: [] });
  const one = many.filter((_, n) => n % 500 === 0);
  const removed = one.map(([id]) => id);
  for (let n = 1; n < 100; n += 1)
    order.apply(n, n % 2 ? { added: [], removed } : { added: one, removed: [] });
  t.ok(order.runs.size <= 2 * 10 + RESTING_SLOTS, `${order.runs.size} slots`);
  t.end();
});
