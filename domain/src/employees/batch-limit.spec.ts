import fc from 'fast-check';
import tap from 'tap';
import { passedBatchLimit } from './decide.js';
import { configured, given, when } from './employees.testing.js';

const settings = (batchLimit: number) => ({ batchLimit, batchLimitFrom: 100, batchLimitThen: null });

tap.test('property: exactly the limit passes, with decimals too', (t) => {
  const property = fc.property(
    fc.record({
      cents: fc.integer({ min: 1, max: 10_000 }),
      present: fc.integer({ min: 100, max: 700_000 }),
      more: fc.integer({ min: -2, max: 2 }),
    }),
    ({ cents, present, more }) => {
      const removed = Math.max(0, Math.floor((cents * present) / 10_000) + more);
      const passed = passedBatchLimit({ present, inserted: 0, removed }, settings(cents / 100), 0);
      return (passed !== undefined) === BigInt(removed) * 10_000n > BigInt(cents) * BigInt(present);
    },
  );
  fc.assert(property, { numRuns: 20_000, examples: [[{ cents: 460, present: 1_500, more: 0 }]] });
  t.end();
});

tap.test(
  'the limit is that of the decision, also where the import was received before it changed',
  async (t) => {
    const batchLimitThen = { from: '2026-11-20T10:00:00Z', limit: 10 };
    const employee = {
      EmployeeID: '1',
      Firstname: 'A',
      Lastname: 'B',
      Email: 'a@example.com',
      EmploymentStatus: 0,
    };
    const before = given(configured({ batchLimitFrom: 1, batchLimit: null, batchLimitThen }), [employee]);
    const replaced = JSON.stringify([employee, { ...employee, EmployeeID: '2', Email: 'b@example.com' }]);
    const decidedAt = (time: string) =>
      when(before, replaced, { decidedAt: Date.parse(`2026-11-20T${time}Z`) }).kind;
    t.equal(when(before, replaced).kind, 'replaced', 'at once');
    t.equal(decidedAt('09:59:59.999'), 'replaced');
    t.equal(decidedAt('10:00:00.000'), 'refused');
  },
);
