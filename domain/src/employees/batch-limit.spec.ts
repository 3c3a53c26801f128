import fc from 'fast-check';
import tap from 'tap';
import { passedBatchLimit } from './decide.js';

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
