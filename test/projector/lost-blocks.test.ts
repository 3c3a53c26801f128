import { blocksCollection } from '@rollcall/application';
import { projections, retryStreams, runProjector } from '@rollcall/projector';
import t, { type Test } from 'tap';
import { withLive } from '../support/writable.js';
import {
  append,
  employee,
  employeeSet,
  openRig,
  document,
  projectAll,
  type Rig,
  survey,
} from './projector.support.js';

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

/** At the first read the block is gone. */
function replacedOnce({ readModels }: Rig) {
  let reads = 0;
  const missing = [8, 8, 8];
  const replaced = withLive(readModels, (live) => ({
    getMany: (collection, keys, take) => {
      const isGone = collection === blocksCollection && (reads += 1) === 1;
      return live.getMany(collection, isGone ? keys.map(() => missing) : keys, take);
    },
  }));
  return { readModels: replaced, reads: () => reads };
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
    const { readModels, reads } = replacedOnce(on);
    await projectAll({ ...run, readModels });
    t.strictSame([reads(), await on.readModels.parkedStreams()], [2, []]);
    t.match(await employee(on.readModels, 7, 1), { Firstname: 'Bea' });
  });
}

t.test('a stop while an event is projected by itself does not begin it anew', async (t) => {
  const { run } = await oneBlock(t, 10);
  const end = new AbortController();
  let begun = 0;
  const beside = async () => {
    begun += 1;
    end.abort();
    return undefined;
  };
  await runProjector({ ...run, beside, signal: end.signal });
  t.equal(begun, 1);
});

t.test(
  'a block that another process has just replaced does not park a stream that is tried again',
  async (t) => {
    const { on, run } = await oneBlock(t, 1_000_000);
    const progress = await on.readModels.progress();
    const parked = { stream: 'company-7', revision: 1, problem: 'as it was damaged' };
    await on.readModels.advance(progress, progress, { park: [parked] });
    const { readModels, reads } = replacedOnce(on);
    const live = await readModels.liveGeneration();
    t.equal(await retryStreams({ ...run, readModels: live }, 'company-7'), 'whole');
    t.strictSame([reads(), await on.readModels.parkedStreams()], [2, []]);
    t.match(await employee(on.readModels, 7, 1), { Firstname: 'Bea' });
  },
);
