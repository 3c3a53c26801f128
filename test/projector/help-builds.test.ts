import { helpBuilds, PartLease, projections } from '@rollcall/projector';
import { everyByTimer, rebalanced, type ReadModelGeneration } from '@rollcall/application';
import t, { type Test } from 'tap';
import { until } from '../support/until.js';
import { append, contents, emptyStore, openRig, projectAll, survey, type Rig } from './projector.support.js';

const ignored = (): void => undefined;
const logger = { info: ignored, warn: ignored, error: ignored };
const quick = {
  sleep: () => new Promise<void>((resolve) => setTimeout(resolve, 2)),
  every: (_ms: number, task: () => Promise<void>) => everyByTimer(2, task),
};
/** On another machine. */
const builder = 'elsewhere 1 builder';

async function filled(t: Test): Promise<Rig> {
  const on = await openRig(t);
  for (let id = 1; id <= 40; id += 1) await append(on, `survey-${id}`, [survey(id, 'a'), survey(id, 'b')]);
  return on;
}

async function whileHelping(on: Rig, work: () => Promise<void>, passing = quick): Promise<void> {
  const end = new AbortController();
  const { log, readModels } = on;
  const running = helpBuilds({ ...passing, log, readModels, projections, logger, signal: end.signal });
  try {
    await work();
  } finally {
    end.abort();
    await running;
  }
}

const take = (generation: ReadModelGeneration) => generation.share((all) => rebalanced(all, builder));

t.test('others take their parts of what is built, and all of it from who has left', async (t) => {
  const on = await filled(t);
  const generation = await on.readModels.newGeneration();
  const last = (await on.log.lastPosition()) ?? 0n;
  await whileHelping(on, async () => {
    await quick.sleep();
    t.equal((await generation.progress()).shares, undefined, 'nobody begins before its builder');
    const furthest = async (): Promise<bigint> =>
      ((await take(generation)).shares ?? []).reduce(
        (most, { position = 0n }) => (position > most ? position : most),
        0n,
      );
    await until('the half of others is at the end', async () => (await furthest()) >= last);
    t.equal(await generation.reachedPosition(last, 0), false, 'and the own half is not');
    await generation.share((all) =>
      all.map((one) => (one.holder === builder ? { ...one, holder: null } : one)),
    );
    await until('all of it is', () => generation.reachedPosition(last, 0));
    await generation.switchTo();
    await until('they hold nothing', async () => (await on.readModels.progress()).shares === undefined);
  });
  const whole = await emptyStore(t, on);
  await projectAll({ ...on, readModels: whole, projections });
  t.strictSame(await contents(on.readModels), await contents(whole));
});

t.test('a process does not help itself', async (t) => {
  const on = await filled(t);
  const generation = await on.readModels.newGeneration();
  const own = new PartLease(generation);
  t.equal(await own.look(), 2n ** 64n - 1n);
  let looks = 0;
  const sleep = (): Promise<void> => ((looks += 1), quick.sleep());
  const work = async (): Promise<void> => {
    await until('it has looked', () => Promise.resolve(looks > 5));
    const { shares = [] } = await generation.progress();
    t.strictSame(
      shares.map(({ holder }) => holder),
      [own.holder],
    );
  };
  await whileHelping(on, work, { ...quick, sleep });
  await own.leave();
});

t.test('one that is dropped is left alone', async (t) => {
  const on = await filled(t);
  const generation = await on.readModels.newGeneration();
  await whileHelping(on, async () => {
    await take(generation);
    await until(
      'somebody helps',
      async () => new Set((await take(generation)).shares?.map(({ holder }) => holder)).size > 1,
    );
    await generation.drop();
    const next = await on.readModels.newGeneration();
    await take(next);
    await until(
      'the next one gets help',
      async () => new Set((await take(next)).shares?.map(({ holder }) => holder)).size > 1,
    );
  });
});
