import {
  decodeDirectory,
  decodeRun,
  encodeDirectory,
  encodeRun,
  entriesBehind,
  numberIn,
  type OrderChanges,
  type OrderDirectory,
  type OrderEntry,
  type OrderRun,
  orderSteps,
  placeOfRun,
  rewritten,
  RUN_ENTRIES,
  runOf,
  type OrderPlace,
  runsBehind,
} from '@rollcall/application';
import fc from 'fast-check';
import t from 'tap';
import { scale, seed } from '../support/scale.js';

/** As the projector does it: runs by their places. */
class Order {
  directory: OrderDirectory = [];
  readonly runs = new Map<string, Uint8Array>();
  written = 0;

  run({ revision, index }: OrderPlace): OrderRun {
    return decodeRun(this.runs.get(`${revision}/${index}`) ?? Buffer.alloc(0));
  }

  apply(revision: number, changes: OrderChanges): void {
    const next: OrderPlace[] = [];
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
        const place = placeOfRun(run, revision, this.written++);
        this.runs.set(`${revision}/${place.index}`, encodeRun(run));
        next.push(place);
      }
    }
    this.directory = decodeDirectory(encodeDirectory(next));
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
      t.equal(run && numberIn(order.run(run), wanted), model.get(wanted));
      const behind = runsBehind(order.directory, wanted).flatMap((place) =>
        entriesBehind(order.run(place), wanted),
      );
      t.strictSame(
        behind,
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
  order.apply(1, { added: [['E100000a', 9]], removed: ['E105000'] });
  t.equal(order.written, 3);
  order.apply(2, { added: [], removed: [...many.keys()].sort() });
  t.strictSame(order.entries, [['E100000a', 9]]);
  t.end();
});
