import {
  dueOf,
  dueText,
  lastPlanned,
  maxPlanRanges,
  plannedBehind,
  PlanRanges,
  readInvitations,
} from '@rollcall/application';
import fc from 'fast-check';
import t from 'tap';
import { scale, seed } from '../support/scale.js';

t.test('the ranges tell of each planned invitation', (t) => {
  const step = fc.tuple(fc.constantFrom(1, 1, 1, 2, 500), fc.constantFrom(1000, 1000, 2000, 3000));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat(100), (steps, after) => {
      const ranges = new PlanRanges();
      const model: { number: number; due: number }[] = [];
      for (const [gap, due] of steps) {
        const number = (model.at(-1)?.number ?? 0) + gap;
        model.push({ number, due });
        ranges.add(number, due);
      }
      const documents = [...ranges.documents('op')];
      t.equal(documents.length, model.length > 0 ? 1 : 0);
      for (const document of documents) {
        t.strictSame([...plannedBehind(document)], model);
        t.strictSame(
          [...plannedBehind(document, after)],
          model.filter(({ number }) => number > after),
        );
        const numbers = model.map(({ number }) => number);
        t.strictSame([document.first, lastPlanned(document)], [Math.min(...numbers), Math.max(...numbers)]);
        for (let number = 0; number < 20; number += 1)
          t.equal(dueOf(document, number), model.find((each) => each.number === number)?.due);
      }
    }),
    { numRuns: Math.ceil(500 * scale), seed },
  );
  t.end();
});

t.test('many moments are several documents, one moment is one range', (t) => {
  const many = new PlanRanges();
  for (let number = 1; number <= maxPlanRanges + 1; number += 1) many.add(number, number % 2);
  const documents = [...many.documents('op')];
  t.strictSame(documents.map(lastPlanned), [maxPlanRanges, maxPlanRanges + 1]);
  const one = new PlanRanges();
  for (let number = 1; number <= 100_000; number += 1) one.add(number, 7);
  t.strictSame([...one.documents('op')], [{ operationId: 'op', first: 1, ranges: [[1, 100_000, 7]] }]);
  t.throws(() => one.add(5, 7), /do not rise/);
  t.equal(dueText(Date.UTC(2026, 10, 22)), '2026-11-22T00:00:00Z');
  t.end();
});

t.test('other work has its turn behind each batch of invitations', async (t) => {
  const value = Buffer.from(JSON.stringify({ operationId: 'op', first: 1, ranges: [[1, 2_000, 0]] }));
  const readModels = {
    get: () => Promise.resolve(undefined),
    getMany: <T>(_: string, keys: readonly unknown[]) => Promise.resolve(keys.map(() => undefined as T)),
    async *find(collection: string) {
      await Promise.resolve();
      if (collection === 'invitation-plans') yield { key: [7, 2_000], revision: 0, value };
    },
  };
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    pending = setImmediate(turn);
  };
  let pending = setImmediate(turn);
  t.teardown(() => clearImmediate(pending));
  for await (const { Number } of readInvitations(readModels, { companyId: 7, now: 0, state: 'Failed' }))
    t.fail(`${Number} has not failed`);
  t.ok(turns >= 3, `${turns} turns`);
});
