import { openMongodbReadModels } from '@rollcall/adapters';
import { systemClock } from '@rollcall/application';
import fc from 'fast-check';
import t from 'tap';
import { freshDatabase, mongodbUrl, skipWithoutMongodb } from '../conformance/read-models.mongodb.support.js';
import { collectionsWithSeen, openRig } from '../support/rig.js';
import { scale, seed } from '../support/scale.js';
import { arbitraryHistory, assertParked, lostBatch } from './parked-histories.support.js';

const numRuns = Math.max(10, Math.ceil(200 * scale));

if (skipWithoutMongodb) t.test('mongodb', { skip: skipWithoutMongodb }, () => undefined);
else
  t.test(
    `${numRuns} histories in which events fail, TEST_SEED=${seed}`,
    { timeout: 1_800_000 },
    async (t) => {
      const url = freshDatabase(t, await mongodbUrl());
      const readModels = await openMongodbReadModels({
        url,
        clock: systemClock,
        collections: collectionsWithSeen,
      });
      t.teardown(() => readModels.close());
      const property = fc.asyncProperty(arbitraryHistory, async (history) => {
        const on = await openRig(t);
        await (await readModels.newGeneration()).switchTo();
        await assertParked(on, readModels, history);
      });
      await t.resolves(fc.assert(property, { seed, numRuns, examples: [[lostBatch]], endOnFailure: true }));
    },
  );
