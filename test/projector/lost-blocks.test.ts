import { blocksCollection } from '@rollcall/application';
import { projections } from '@rollcall/projector';
import t, { type Test } from 'tap';
import { withLive } from '../support/writable.js';
import { append, employee, employeeSet, openRig, document, projectAll, survey } from './projector.support.js';

const started = employeeSet({ added: [{ number: 1, id: 'A' }], total: 1, lastNumber: 1 });
const changed = employeeSet({ changed: [{ number: 1, id: 'A', name: 'Bea' }], total: 1, lastNumber: 1 });

/** A company with one block. From `largeBytes` on an event is projected by itself. */
async function oneBlock(t: Test, largeBytes: number) {
  const on = await openRig(t);
  const run = { ...on, projections, largeBytes };
  await append(on, 'company-7', started);
  await projectAll(run);
  await append(on, 'company-7', changed);
  return { on, run };
}

for (const [how, largeBytes] of [
  ['with others', 1_000_000],
  ['by itself', 10],
] as const) {
  t.test(`a block that the store has lost parks its stream, and no other, projected ${how}`, async (t) => {
    const { on, run } = await oneBlock(t, largeBytes);
    const [collection, key] = [blocksCollection, [7, 0, 0]];
    await on.readModels.write([[{ op: 'delete-to', collection, key, from: 0, revision: 0 }]]);
    await append(on, 'survey-1', survey(1, 'of another stream'));
    await projectAll(run);
    t.match(await document(on.readModels, 'surveys', [7, 1]), { name: 'of another stream' });
    t.strictSame(await on.readModels.parkedStreams(), [
      { stream: 'company-7', revision: 1, problem: 'employee-blocks 7 0 is missing' },
    ]);
  });

  t.test(`a block that another projector has just replaced parks nothing, projected ${how}`, async (t) => {
    const { on, run } = await oneBlock(t, largeBytes);
    let looks = 0;
    const readModels = withLive(on.readModels, (live) => ({
      getMany: (collection, keys, take) => {
        const isGone = collection === blocksCollection && (looks += 1) === 1;
        return live.getMany(collection, isGone ? keys.map(() => [8, 8, 8]) : keys, take);
      },
    }));
    await projectAll({ ...run, readModels });
    t.strictSame([looks, await on.readModels.parkedStreams()], [2, []]);
    t.match(await employee(on.readModels, 7, 1), { Firstname: 'Bea' });
  });
}
