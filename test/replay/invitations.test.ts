import { projections, rebuild, rebuildInto, retryStreams, verifyReadModels } from '@rollcall/projector';

import fc from 'fast-check';
import t from 'tap';
import { openRig, emptyStore, projectAll } from '../projector/projector.support.js';
import { arbitraryHistory, assertAsExpected, InvitedCompany } from './invitations.support.js';
import { setAside } from '../support/set-aside.js';
import { scale, seed } from '../support/scale.js';

const numRuns = Math.ceil(300 * scale);
t.comment(`TEST_SEED=${seed}, ${numRuns} runs`);

t.test('the read models are those of a simple model, and what is open is found', async (t) => {
  const property = fc.asyncProperty(
    fc.array(fc.tuple(arbitraryHistory, fc.boolean()), { minLength: 1, maxLength: 2 }),
    async (parts) => {
      const on = await openRig(t);
      const company = new InvitedCompany(on, true);
      for (const [history, isRebuilt] of parts) {
        for (const next of history) await company.happens(next);
        await projectAll({ ...on, projections });
        if (isRebuilt) await rebuild(on.readModels, { ...on, projections });
        await assertAsExpected(on.readModels, company);
      }
      const apart = await emptyStore(t, on);
      await projectAll({ ...on, readModels: apart, projections, largeBytes: 0 });
      await assertAsExpected(apart, company);
      const verdict = await verifyReadModels({ ...on, temporaryFolder: on.folder });
      if (verdict.kind !== 'same') throw new Error(`verified as ${verdict.kind}`);
      for (const store of [apart, on.readModels]) await store.close();
      await on.log.close();
    },
  );
  await t.resolves(fc.assert(property, { seed, numRuns }));
});

t.test("a company's events that are projected behind everything else come to the same", async (t) => {
  const property = fc.asyncProperty(arbitraryHistory, async (history) => {
    const on = await openRig(t);
    const company = new InvitedCompany(on, true);
    for (const next of history) await company.happens(next);
    await setAside(on.readModels, { stream: 'company-7', revision: 0, problem: 'mended' });
    await rebuildInto(on.readModels, { log: on.log, projections }, await on.log.lastPosition());
    for (let time = 1; time <= 2; time += 1) {
      if (time === 2) await setAside(on.readModels, { stream: 'company-7', revision: 0, problem: 'again' });
      const outcome = await retryStreams({ ...on, projections }, 'company-7');
      if (outcome !== 'whole') throw new Error('not projected again');
      await assertAsExpected(on.readModels, company);
    }
    await on.readModels.close();
    await on.log.close();
  });
  await t.resolves(fc.assert(property, { seed, numRuns }));
});
