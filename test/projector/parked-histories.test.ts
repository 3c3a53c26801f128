import fc from 'fast-check';
import t from 'tap';
import { scale, seed } from '../support/scale.js';
import { arbitraryHistory, assertParked, lostBatch } from './parked-histories.support.js';
import { openRig } from './projector.support.js';

const numRuns = Math.max(20, Math.ceil(1_000 * scale));

t.test(`${numRuns} histories in which events fail, TEST_SEED=${seed}`, { timeout: 1_800_000 }, async (t) => {
  const property = fc.asyncProperty(arbitraryHistory, async (history) => {
    const ends: (() => unknown)[] = [];
    const on = await openRig({ teardown: (end) => ends.unshift(end) });
    try {
      await assertParked(on, on.readModels, history);
    } finally {
      for (const end of ends) await end();
    }
  });
  await t.resolves(fc.assert(property, { seed, numRuns, examples: [[lostBatch]], endOnFailure: true }));
});
