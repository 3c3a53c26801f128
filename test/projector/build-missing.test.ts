import { openEmbeddedReadModels } from '@rollcall/adapters';
import {
  type ReadModelGeneration,
  type ReadModels,
  ReadModelsBuilding,
  ReadModelsUnavailable,
} from '@rollcall/application';
import { buildMissing, projections, type Projection } from '@rollcall/projector';
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
}

const build = ({ log }: Rig, readModels: ReadModels, options: Building = {}): Promise<void> => {
  const { more = [], stop = new AbortController() } = options;
  const run = { log, readModels, projections: [...projections, ...more] };
  return buildMissing({ ...run, logger: silent, signal: stop.signal });
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
  const begin = async (): Promise<ReadModelGeneration> => {
    const generation = await own.newGeneration();
    const write: ReadModelGeneration['write'] = (stages) => {
      if (!writes(stages, 'seen', [1, 'operation-f00d'])) return generation.write(stages);
      stop.abort();
      return Promise.reject(new ReadModelsUnavailable('killed'));
    };
    return withMembers(generation, { write });
  };
  const stopping = withMembers(own, { newGeneration: begin });
  await build(on, stopping, { more: [inParts], stop });
  await t.rejects(own.progress(), ReadModelsBuilding, 'nobody reads it');
  const begun = await own.unfinishedGeneration();
  t.match(begun && (await document(begun, 'surveys', [7, 1])), { name: 'first' });
  t.same(begun && (await document(begun, 'seen', [1, 'operation-f00d'])), undefined);
  await build(on, own, { more: [inParts] });
  t.strictSame(await statuses(own), ['generation-1 other', 'generation-2 live'], 'the same was gone on with');
  const expected = await ofVersion(t, on, 'expected');
  await expected.newGeneration().then((generation) => generation.switchTo());
  await projectAll({ ...on, readModels: expected, projections: [...projections, inParts] });
  t.strictSame(await contents(own, ['seen']), await contents(expected, ['seen']));
  t.equal((await contents(own, ['seen'])).filter((line) => line.startsWith('seen')).length, PARTS);
});

t.test('two projectors of one version build one generation together', async (t) => {
  const on = await openRig(t);
  for (let n = 1; n <= 20; n += 1) await append(on, `operation-${n}`, largeRefusal());
  const [one, other] = [await ofVersion(t, on, 'own'), await ofVersion(t, on, 'own')];
  await one.newGeneration();
  await Promise.all([build(on, one), build(on, other)]);
  t.strictSame(await statuses(one), ['generation-1 other', 'generation-2 live']);
  await projectAll({ ...on, projections });
  t.strictSame(await contents(other), await contents(on.readModels));
});

t.test('what was begun from a log that was longer is left alone', async (t) => {
  const on = await openRig(t);
  await append(on, 'survey-1', survey(1, 'first'));
  const own = await ofVersion(t, on, 'own');
  const foreign = await own.newGeneration();
  await foreign.advance({ position: undefined }, { position: 1_000_000n });
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
