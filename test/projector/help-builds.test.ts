import { helpBuilds, PartLease, projections, Relay } from '@rollcall/projector';
import { everyByTimer, rebalanced, type ReadModelGeneration } from '@rollcall/application';
import t, { type Test } from 'tap';
import { HandSleep } from '../support/hand-sleep.js';
import { operationIdAt } from '../support/operation-id.js';
import { until } from '../support/until.js';
import { withMembers } from '../support/with-members.js';
import { HandQueue } from '../worker/hand-queue.js';
import { queued } from './import-events.support.js';
import { append, contents, emptyStore, openRig, projectAll, survey, type Rig } from './projector.support.js';

const ignored = (): void => undefined;
const logger = { info: ignored, warn: ignored, error: ignored };
const clock = { now: 0 };
const quick = {
  timer: () => clock.now,
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

const holdersOf = async (generation: ReadModelGeneration) =>
  new Set((await generation.progress()).shares?.flatMap(({ holder }) => holder ?? []));
const isHelped = async (generation: ReadModelGeneration): Promise<boolean> => {
  await take(generation);
  return (await holdersOf(generation)).size > 1;
};

t.test('a newer one that is built gets the help, though the older one is still there', async (t) => {
  const on = await filled(t);
  const older = await on.readModels.newGeneration();
  await whileHelping(on, async () => {
    await until('the older one is helped', () => isHelped(older));
    const newer = await on.readModels.newGeneration();
    await until('the newer one is helped', () => isHelped(newer), { withinMs: 20_000 });
  });
});

t.test('help ends once the builder has not renewed its claim for 5 s, or gives it back', async (t) => {
  const on = await filled(t);
  const generation = await on.readModels.newGeneration();
  const isLeft = async (): Promise<boolean> => {
    await take(generation);
    return (await holdersOf(generation)).size === 1;
  };
  let looks = 0;
  const unfinishedGeneration = () => on.readModels.unfinishedGeneration().finally(() => (looks += 1));
  const readModels = withMembers(on.readModels, { unfinishedGeneration });
  const seen = async (): Promise<void> => {
    const before = looks;
    await until('it has looked', () => looks > before + 2);
  };
  await whileHelping({ ...on, readModels }, async () => {
    await until('somebody helps', () => isHelped(generation));
    clock.now += 4_999;
    await generation.renewClaim();
    await seen();
    clock.now += 4_999;
    await seen();
    t.equal(await isLeft(), false);
    clock.now += 1;
    await until('nobody helps', isLeft, { withinMs: 20_000 });
    await generation.renewClaim();
    await until('somebody helps again', () => isHelped(generation));
    await generation.releaseClaim();
    await until('nobody helps who has no builder', isLeft, { withinMs: 20_000 });
  });
});

t.test('imports that a helper has queued after the switch are announced', async (t) => {
  const on = await filled(t);
  const { log, readModels } = on;
  const [end, queue, sleep] = [new AbortController(), new HandQueue(), new HandSleep()];
  const relay = new Relay({ queue, readModels, logger, signal: end.signal, sleep: sleep.sleep });
  const generation = await readModels.newGeneration();
  const operationId = operationIdAt(on.clock.at);
  const switching: { done?: Promise<void> } = {};
  let late: Promise<bigint> | undefined;
  const unfinishedGeneration = async () => {
    if (switching.done !== undefined) {
      await switching.done;
      late ??= append(on, 'company-7', queued(operationId), { operationId });
      await readModels.reachedPosition(await late, 60_000);
    }
    return readModels.unfinishedGeneration();
  };
  const onHelped = () => relay.announcePending(readModels);
  const helping = helpBuilds({
    ...{ ...quick, log, projections, logger, signal: end.signal },
    ...{ readModels: { unfinishedGeneration }, onHelped },
  });
  const relaying = relay.run();
  await until('somebody helps', () => isHelped(generation));
  await generation.share((all) =>
    all.map((one) => (one.holder === builder ? { ...one, holder: null } : one)),
  );
  const last = (await log.lastPosition()) ?? 0n;
  await until('it has all', async () => {
    const { shares = [] } = await generation.progress();
    return shares.length === 1 && shares[0]?.position === last;
  });
  switching.done = generation.switchTo();
  t.same(await queue.untilPublished(1), [7]);
  end.abort();
  await Promise.all([helping, relaying]);
});
