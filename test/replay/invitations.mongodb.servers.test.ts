import { projections, retryStreams, rebuildInto } from '@rollcall/projector';
import { openMongodbReadModels } from '@rollcall/adapters';
import { systemClock } from '@rollcall/application';

import fc from 'fast-check';
import t, { type Test } from 'tap';
import { freshDatabase, mongodbUrl, skipWithoutMongodb } from '../conformance/read-models.mongodb.support.js';
import { openRig, projectAll, type Rig } from '../projector/projector.support.js';
import { arbitraryHistory, assertAsExpected, InvitedCompany, type Happening } from './invitations.support.js';
import { setAside } from '../support/set-aside.js';
import { scale, seed } from '../support/scale.js';
import { writable, type WritableReadModels } from '../support/writable.js';

const numRuns = Math.ceil(60 * scale);

async function lived(t: Test, url: string, history: readonly Happening[]) {
  const on = await openRig(t);
  const company = new InvitedCompany(on, true);
  for (const next of history) await company.happens(next);
  const readModels = writable(
    await openMongodbReadModels({ url: freshDatabase(t, url), clock: systemClock }),
  );
  return { on: { ...on, readModels }, company };
}

async function close({
  log,
  readModels,
}: {
  log: Rig['log'];
  readModels: WritableReadModels;
}): Promise<void> {
  await readModels.close();
  await log.close();
}

if (skipWithoutMongodb) t.test('mongodb', { skip: skipWithoutMongodb }, () => undefined);
else {
  const url = await mongodbUrl();
  t.comment(`TEST_SEED=${seed}, ${numRuns} runs`);

  t.test('invitations in the order of the log', async (t) => {
    const property = fc.asyncProperty(arbitraryHistory, async (history) => {
      const { on, company } = await lived(t, url, history);
      await projectAll({ ...on, projections });
      await assertAsExpected(on.readModels, company);
      await close(on);
    });
    await t.resolves(fc.assert(property, { seed, numRuns }));
  });

  t.test("and where the company's stream is projected behind everything else, and once more", async (t) => {
    const property = fc.asyncProperty(arbitraryHistory, async (history) => {
      const { on, company } = await lived(t, url, history);
      const broken = { stream: 'company-7', revision: 0, problem: 'mended' };
      await setAside(on.readModels, broken);
      await rebuildInto(on.readModels, { log: on.log, projections }, await on.log.lastPosition());
      for (let time = 1; time <= 2; time++) {
        if (time === 2) await setAside(on.readModels, broken);
        const outcome = await retryStreams({ ...on, projections }, 'company-7');
        if (outcome !== 'whole') throw new Error('not projected again');
        await assertAsExpected(on.readModels, company);
      }
      await close(on);
    });
    await t.resolves(fc.assert(property, { seed, numRuns }));
  });
}
