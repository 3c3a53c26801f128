import {
  apiCallsCollection,
  attemptsCollection,
  type LiveGeneration,
  pendingImportsCollection,
  type ReadModelReader,
} from '@rollcall/application';
import { CallKeeper, keepCalls, projections, rebuild, verifyReadModels } from '@rollcall/projector';
import t from 'tap';
import { operationIdAt } from '../support/operation-id.js';
import { withMembers } from '../support/with-members.js';
import { failed, queued, started } from './import-events.support.js';
import { append, configured, openRig, projectAll, refused, survey, type Rig } from './projector.support.js';

const DAY = 24 * 60 * 60_000;
const term = 400 * DAY;
const unending = { signal: new AbortController().signal };

const shown = async (readModels: ReadModelReader): Promise<unknown[]> => {
  const ids: unknown[] = [];
  for await (const { key } of readModels.find(apiCallsCollection, { prefix: [] })) ids.push(key[1]);
  return ids;
};

/** Without a later event the keeper takes the clock for one that is ahead. */
async function pass(on: Rig, ms: number): Promise<void> {
  on.clock.at += ms;
  await append(on, 'survey-1', survey(1, 'later'));
  await projectAll({ ...on, projections });
}

/** A refused call, one that failed, and one under way. */
async function lived(on: Rig) {
  const at = on.clock.at;
  const [refusedId, failedId, openId] = [
    operationIdAt(at),
    operationIdAt(at + 1),
    operationIdAt(at + 2),
  ] as const;
  await append(on, 'company-7', configured(7, 'A company'));
  await append(on, `operation-${refusedId}`, refused(), { operationId: refusedId });
  await append(on, 'company-7', [queued(failedId), failed(failedId)], { operationId: failedId });
  await append(on, 'company-7', queued(openId), { operationId: openId });
  await projectAll({ ...on, projections });
  return { refusedId, failedId, openId };
}

t.test('a refused call is shown for 30 days, an ended one for its term, one under way always', async (t) => {
  const on = await openRig(t);
  const { refusedId, failedId, openId } = await lived(on);
  const keeper = new CallKeeper({ ...on, ...unending, term });
  const verdict = async () =>
    (await verifyReadModels({ ...on, callTerm: term, temporaryFolder: on.folder })).kind;
  await pass(on, 30 * DAY - 1);
  t.equal(await keeper.look(), 0);
  t.strictSame(await shown(on.readModels), [refusedId, failedId, openId]);
  await pass(on, 1);
  t.equal(await keeper.look(), 1);
  t.strictSame(await shown(on.readModels), [failedId, openId]);
  t.equal(await verdict(), 'same');
  t.equal(
    (await verifyReadModels({ ...on, temporaryFolder: on.folder })).kind,
    'different',
    'without a term',
  );
  await pass(on, 370 * DAY + 2);
  t.equal(await keeper.look(), 1);
  t.strictSame(await shown(on.readModels), [openId]);
  t.equal(await keeper.look(), 0);
  t.equal(await verdict(), 'same');
});

t.test('more calls than are read at once', async (t) => {
  const on = await openRig(t);
  const at = on.clock.at;
  await append(on, 'company-7', configured(7, 'A company'));
  const kept: string[] = [];
  for (let call = 0; call < 1_100; call += 1) {
    const operationId = operationIdAt(at + call);
    const isRefused = call % 3 > 0;
    if (isRefused) await append(on, `operation-${operationId}`, refused(), { operationId });
    else await append(on, 'company-7', failed(operationId), { operationId });
    if (!isRefused) kept.push(operationId);
  }
  await projectAll({ ...on, projections });
  await pass(on, 30 * DAY + 1_100);
  const stop = new AbortController();
  const sleep = () => Promise.resolve(stop.abort());
  const begun = await new CallKeeper({ ...on, term, signal: stop.signal, sleep }).look();
  t.ok(begun > 0 && begun < 500, 'an end does not wait for the whole look');
  t.equal(await new CallKeeper({ ...on, ...unending, term }).look(), 1_100 - kept.length - begun);
  t.strictSame(await shown(on.readModels), kept);
});

t.test('a shorter term counts for refused calls too', async (t) => {
  const on = await openRig(t);
  const { openId } = await lived(on);
  await pass(on, 2 * DAY + 2);
  t.equal(await new CallKeeper({ ...on, ...unending, term: 2 * DAY }).look(), 2);
  t.strictSame(await shown(on.readModels), [openId]);
});

t.test('a rebuild brings calls back until the next look', async (t) => {
  const on = await openRig(t);
  const { refusedId, failedId, openId } = await lived(on);
  await pass(on, term + 2);
  const keeper = new CallKeeper({ ...on, ...unending, term });
  t.equal(await keeper.look(), 2);
  await rebuild(on.readModels, { ...on, projections });
  t.strictSame(await shown(on.readModels), [refusedId, failedId, openId]);
  t.equal(await keeper.look(), 2);
  t.strictSame(await shown(on.readModels), [openId]);
  const live = await on.readModels.liveGeneration();
  const ended = [[7, failedId]] as const;
  t.strictSame(
    await live.newest(pendingImportsCollection, ended),
    [undefined],
    'nor are its tombstones left',
  );
});

t.test('nothing is left of a call, no tombstone either', async (t) => {
  const on = await openRig(t);
  const { refusedId, failedId, openId } = await lived(on);
  const ids = [refusedId, failedId, openId];
  for (const operationId of [failedId, openId])
    await append(on, `operation-${operationId}`, started(operationId), { operationId });
  await projectAll({ ...on, projections });
  await pass(on, term + 2);
  t.equal(await new CallKeeper({ ...on, ...unending, term }).look(), 2);
  const live = await on.readModels.liveGeneration();
  for (const collection of [apiCallsCollection, attemptsCollection, pendingImportsCollection]) {
    const found = await live.newest(
      collection,
      ids.map((id) => [7, id]),
    );
    t.strictSame(
      found.map((one) => one !== undefined),
      [false, false, true],
      collection,
    );
  }
  const heads = await live.newest(
    'streams',
    ids.map((id) => [`operation-${id}`]),
  );
  t.strictSame(
    heads.map((one) => one !== undefined),
    [true, true, true],
    'anchors have the heads of all streams',
  );
  t.equal((await verifyReadModels({ ...on, callTerm: term, temporaryFolder: on.folder })).kind, 'same');
});

/** The live read models, with some answers of somebody else. */
const withAnswers = (on: Rig, answers: Partial<LiveGeneration>): Pick<Rig, 'readModels'> => {
  const liveGeneration = async (): Promise<LiveGeneration> =>
    new Proxy(await on.readModels.liveGeneration(), {
      get(live, name) {
        const value: unknown = Reflect.get(answers, name) ?? Reflect.get(live, name);
        return typeof value === 'function' ? (value.bind(live) as unknown) : value;
      },
    });
  return { readModels: { ...on.readModels, liveGeneration } };
};

t.test(
  'nothing is deleted while the checkpoint is behind: a repeated event would find no head',
  async (t) => {
    const on = await openRig(t);
    const { refusedId, failedId, openId } = await lived(on);
    on.clock.at += term + 2;
    await append(on, 'company-7', queued(operationIdAt(on.clock.at)));
    let asked = 0;
    const reachedPosition = async (): Promise<boolean> => {
      asked += 1;
      if (asked === 2) await projectAll({ ...on, projections });
      const there = await shown(on.readModels);
      t.ok([refusedId, failedId, openId].every((id) => there.includes(id)));
      return asked > 2;
    };
    t.equal(
      await new CallKeeper({ ...on, ...withAnswers(on, { reachedPosition }), ...unending, term }).look(),
      2,
    );
    t.notOk((await shown(on.readModels)).includes(failedId));
  },
);

t.test('an end, and other read models, do not wait for the checkpoint', async (t) => {
  const on = await openRig(t);
  await lived(on);
  await pass(on, term + 2);
  const stop = new AbortController();
  const { signal } = stop;
  let asked = 0;
  const ended = withAnswers(on, {
    reachedPosition: () => {
      stop.abort();
      return (asked += 1) < 5 ? Promise.resolve(false) : Promise.reject(new Error('it asks on'));
    },
  });
  t.equal(await new CallKeeper({ ...on, ...ended, term, signal }).look(), 0);
  const live = await on.readModels.liveGeneration();
  const read: string[] = [];
  const find: LiveGeneration['find'] = (collection, options) => (
    read.push(collection),
    live.find(collection, options)
  );
  t.equal(await new CallKeeper({ ...on, ...withAnswers(on, { find }), term, signal }).look(), 0);
  t.strictSame(read, ['companies'], 'nor does it read the calls of any company');
  t.equal((await shown(on.readModels)).length, 3);
  const replaced = withAnswers(on, {
    reachedPosition: async () => {
      if ((asked += 1) > 10) throw new Error('it asks on');
      await rebuild(on.readModels, { ...on, projections });
      return false;
    },
  });
  await t.rejects(new CallKeeper({ ...on, ...replaced, ...unending, term }).look(), {
    name: 'GenerationReplaced',
  });
});

t.test('a call that was never queued leaves no tombstone', async (t) => {
  const on = await openRig(t);
  const operationId = operationIdAt(on.clock.at);
  await append(on, 'company-7', configured(7, 'A company'));
  await append(on, 'company-7', failed(operationId), { operationId });
  await projectAll({ ...on, projections });
  const live = await on.readModels.liveGeneration();
  t.strictSame(await live.newest(pendingImportsCollection, [[7, operationId]]), [undefined]);
});

t.test('a clock that is ahead of the newest event by more than a day removes nothing', async (t) => {
  const on = await openRig(t);
  const { openId } = await lived(on);
  const keeper = new CallKeeper({ ...on, ...unending, term });
  on.clock.at += 401 * DAY;
  t.equal(await keeper.look(), 0);
  t.equal((await shown(on.readModels)).length, 3);
  on.clock.at -= DAY;
  await pass(on, -2);
  on.clock.at += DAY - 1;
  t.equal(await keeper.look(), 2, 'by less: the terms count');
  t.strictSame(await shown(on.readModels), [openId]);
});

t.test('it looks daily, and hourly after a failure', async (t) => {
  const on = await openRig(t);
  const slept: number[] = [];
  const stop = new AbortController();
  const sleep = (ms: number): Promise<void> => {
    slept.push(ms);
    if (slept.length === 2) stop.abort();
    return Promise.resolve();
  };
  let asked = 0;
  const log = withMembers(on.log, {
    lastPosition: () => ((asked += 1) > 1 ? Promise.reject(new Error('away')) : Promise.resolve(undefined)),
  });
  await keepCalls({ ...on, log, term, signal: stop.signal, sleep });
  t.strictSame(slept, [DAY, DAY / 24]);
});
