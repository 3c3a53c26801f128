import { openEmbeddedReadModels } from '@rollcall/adapters';
import {
  type ReadModelGeneration,
  type ReadModels,
  ReadModelsBuilding,
  ReadModelsUnavailable,
  type Sleep,
} from '@rollcall/application';
import { buildMissing, projections, type Projection } from '@rollcall/projector';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { withMembers } from '../support/with-members.js';
import {
  append,
  contents,
  document,
  largeRefusal,
  openRig,
  projectAll,
  survey,
  whileProjecting,
  type Rig,
} from './projector.support.js';
import { collectionsWithSeen } from '../support/rig.js';
import { inParts, PARTS, writes } from './watched.support.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function ofVersion(t: Test, { folder }: Rig, version: string): Promise<ReadModels> {
  const store = await openEmbeddedReadModels({
    folder: `${folder}/read-models`,
    sync: false,
    collections: collectionsWithSeen,
    projections: version,
  });
  t.teardown(() => store.close());
  return store;
}

interface Building {
  readonly more?: readonly Projection[];
  readonly stop?: AbortController;
  readonly sleep?: Sleep;
}

const build = ({ log }: Rig, readModels: ReadModels, options: Building = {}): Promise<void> => {
  const { more = [], stop = new AbortController(), sleep = () => setTimeout(1) } = options;
  const run = { log, readModels, projections: [...projections, ...more] };
  return buildMissing({ ...run, logger: silent, signal: stop.signal, sleep });
};

const statuses = async (store: ReadModels): Promise<string[]> =>
  (await store.generations()).map(({ name, status }) => `${name} ${status}`);

t.test('what is missing is built beside what others read, and then gone on with', async (t) => {
  const on = await openRig(t);
  await append(on, 'survey-1', survey(1, 'first'));
  await projectAll({ ...on, projections });
  const own = await ofVersion(t, on, 'own');
  await t.rejects(own.progress(), ReadModelsBuilding);
  await build(on, own);
  t.strictSame(await statuses(own), ['generation-1 other', 'generation-2 live']);
  t.strictSame(await contents(own), await contents(await ofVersion(t, on, 'own')));
  t.match(await document(own, 'surveys', [7, 1]), { name: 'first' });
  await append(on, 'survey-1', survey(1, 'second'));
  await projectAll({ ...on, readModels: own, projections });
  t.match(await document(own, 'surveys', [7, 1]), { name: 'second' });
  await build(on, own);
  t.equal((await statuses(own)).length, 2, 'and not again');
});

t.test('a stop ends it beside a large event, and the next start goes on from there', async (t) => {
  const on = await openRig(t);
  await append(on, 'survey-1', survey(1, 'first'));
  await append(on, 'operation-f00d', largeRefusal());
  const own = await ofVersion(t, on, 'own');
  const stop = new AbortController();
  const begin: ReadModels['claimBuild'] = async (builder) => {
    const turn = await own.claimBuild(builder);
    if (turn.kind !== 'claimed') return turn;
    const { generation } = turn;
    const write: ReadModelGeneration['write'] = (stages) => {
      if (!writes(stages, 'seen', [1, 'operation-f00d'])) return generation.write(stages);
      stop.abort();
      return Promise.reject(new ReadModelsUnavailable('killed'));
    };
    return { ...turn, generation: withMembers(generation, { write }) };
  };
  const stopping = withMembers(own, { claimBuild: begin });
  await build(on, stopping, { more: [inParts], stop });
  await t.rejects(own.progress(), ReadModelsBuilding, 'nobody reads it');
  const begun = await own.claimBuild('looks');
  if (begun.kind !== 'claimed') throw new Error('a stop gives the claim back');
  t.match(await document(begun.generation, 'surveys', [7, 1]), { name: 'first' });
  t.same(await document(begun.generation, 'seen', [1, 'operation-f00d']), undefined);
  await begun.generation.releaseClaim();
  await build(on, own, { more: [inParts] });
  t.strictSame(await statuses(own), ['generation-1 other', 'generation-2 live'], 'the same was gone on with');
  const expected = await ofVersion(t, on, 'expected');
  await expected.newGeneration().then((generation) => generation.switchTo());
  await projectAll({ ...on, readModels: expected, projections: [...projections, inParts] });
  t.strictSame(await contents(own, ['seen']), await contents(expected, ['seen']));
  t.equal((await contents(own, ['seen'])).filter((line) => line.startsWith('seen')).length, PARTS);
});

t.test('of projectors that start together one builds, and the others stand by', async (t) => {
  const on = await openRig(t);
  for (let n = 1; n <= 20; n += 1) await append(on, `operation-${n}`, largeRefusal());
  const stores = await Promise.all([1, 2, 3].map(() => ofVersion(t, on, 'own')));
  const [one] = stores;
  let built = 0;
  const counting = stores.map((store) =>
    withMembers(store, {
      claimBuild: async (...given) => {
        const turn = await store.claimBuild(...given);
        if (turn.kind === 'claimed') built += 1;
        return turn;
      },
    }),
  );
  let resolve = (): void => undefined;
  const isBuilt = new Promise<void>((done) => (resolve = done));
  const sleep = () => isBuilt;
  await Promise.all(counting.map((store) => build(on, store, { sleep }).then(resolve)));
  t.equal(built, 1);
  t.strictSame(one && (await statuses(one)), ['generation-1 other', 'generation-2 live']);
  await projectAll({ ...on, projections });
  t.strictSame(one && (await contents(one)), await contents(on.readModels));
});

t.test(
  'who stands by takes over where the builder has died, and not before its claim has lapsed',
  async (t) => {
    const on = await openRig(t);
    await append(on, 'survey-1', survey(1, 'first'));
    const [dead, own] = [await ofVersion(t, on, 'own'), await ofVersion(t, on, 'own')];
    const turn = await dead.claimBuild('dead');
    if (turn.kind !== 'claimed') throw new Error(turn.kind);
    let slept = 0;
    const sleep = async (): Promise<void> => {
      slept += 1;
      if (slept <= 3) await turn.generation.renewClaim();
    };
    await build(on, own, { sleep });
    t.equal(slept, 9, 'five looks behind the last renewal that it saw');
    t.strictSame(await statuses(own), ['generation-1 other', 'generation-2 live']);
    t.match(await document(own, 'surveys', [7, 1]), { name: 'first' });
  },
);

t.test('what was begun from a log that was longer is left alone', async (t) => {
  const on = await openRig(t);
  await append(on, 'survey-1', survey(1, 'first'));
  const own = await ofVersion(t, on, 'own');
  const foreign = await own.newGeneration();
  await foreign.advance({ position: undefined }, { position: 1_000_000n });
  await foreign.releaseClaim();
  await build(on, own);
  t.match(await document(own, 'surveys', [7, 1]), { name: 'first' });
});

t.test("an older version's projector and a newer one's write beside each other", async (t) => {
  const on = await openRig(t);
  const [older, newer] = [await ofVersion(t, on, 'older'), await ofVersion(t, on, 'newer')];
  await append(on, 'survey-1', survey(1, 'first'));
  await build(on, older);
  await build(on, newer);
  await whileProjecting({ ...on, readModels: older, projections }, () =>
    whileProjecting({ ...on, readModels: newer, projections: [] }, async () => {
      const end = await append(on, 'survey-1', survey(1, 'second'));
      t.ok((await older.reachedPosition(end, 10_000)) && (await newer.reachedPosition(end, 10_000)));
    }),
  );
  t.match(await document(older, 'surveys', [7, 1]), { name: 'second' });
  t.match(await document(newer, 'surveys', [7, 1]), { name: 'first' }, 'as its own projections have it');
});
