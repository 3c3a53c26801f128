import {
  GenerationReplaced,
  type ReadModelGeneration,
  type ReadModels,
  ReadModelsBuilding,
  ReadModelsUnavailable,
} from '@rollcall/application';
import type { Test } from 'tap';
import type { OpenFresh } from './read-models.suite.js';
import { advance, at, put, read, START, write } from './read-models.support.js';
import type { WritableReadModels } from '../support/writable.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Another generation of the handle's version, complete, with one document that says so. */
async function built(store: WritableReadModels, n: string): Promise<void> {
  const next = await store.newGeneration();
  await write(next, put([1], { n }));
  await advance(next);
  await next.switchTo();
}

async function claimed(store: ReadModels, builder: string, lapsed?: string): Promise<ReadModelGeneration> {
  const turn = await store.claimBuild(builder, lapsed);
  if (turn.kind !== 'claimed') throw new Error(`${turn.kind} for ${builder}`);
  return turn.generation;
}

const statuses = async (store: WritableReadModels): Promise<string[]> =>
  (await store.generations()).map(({ name, status, version }) => `${name} ${version} ${status}`);

export function versionTests(t: Test, fresh: OpenFresh): void {
  t.test('without a complete generation of its version nobody reads or writes anything', async (t) => {
    const { store, under } = await fresh(t, 'one');
    await built(store, 'one');
    const two = await under.open('two');
    const building = await two.newGeneration();
    await write(building, put([1], { n: 'half' }));
    await advance(building);
    await t.rejects(two.get('things', [1]), ReadModelsBuilding);
    await t.rejects(
      two.getMany('things', [[1]], () => undefined),
      ReadModelsBuilding,
    );
    await t.rejects(
      two.findBatches('things', { prefix: [] })[Symbol.asyncIterator]().next(),
      ReadModelsBuilding,
    );
    await t.rejects(two.progress(), ReadModelsBuilding);
    await t.rejects(two.parkedStreams(), ReadModelsBuilding);
    await t.rejects(two.newest('things', [[1]]), ReadModelsBuilding);
    await t.rejects(
      two.findByIndex('dated', 'due', { prefix: [] })[Symbol.asyncIterator]().next(),
      ReadModelsBuilding,
    );
    await t.rejects(write(two, put([1], {})), ReadModelsBuilding);
    await t.rejects(two.advance(START, at(1n)), ReadModelsBuilding);
    t.equal(await two.reachedPosition(1n, 1), false);
    t.equal(await two.reached('company-1', 0, 1), false);
    t.ok(new ReadModelsBuilding() instanceof ReadModelsUnavailable, 'an outage for who waits for it');
    await building.switchTo();
    t.strictSame(await read(two, [1]), { n: 'half' });
  });

  t.test('each process uses the newest complete generation of its own version', async (t) => {
    const { store: one, under } = await fresh(t, 'one');
    await built(one, 'one');
    const two = await under.open('two');
    await built(two, 'two');
    t.strictSame([await read(one, [1]), await read(two, [1])], [{ n: 'one' }, { n: 'two' }]);
    await write(one, put([2], { n: 'one goes on' }));
    t.strictSame(await read(two, [2]), undefined);
    await built(one, 'one again');
    t.strictSame([await read(one, [1]), await read(two, [1])], [{ n: 'one again' }, { n: 'two' }]);
    t.strictSame(await statuses(one), [
      'generation-1 one retired',
      'generation-2 two other',
      'generation-3 one live',
    ]);
    t.strictSame(await statuses(two), [
      'generation-1 one retired',
      'generation-2 two live',
      'generation-3 one other',
    ]);
    t.strictSame(
      await read(await under.open(), [1]),
      { n: 'one again' },
      'a tool without a version: the newest',
    );
  });

  t.test('an empty store has nothing that is complete until somebody says that it may', async (t) => {
    const { store, under } = await fresh(t, 'one');
    t.strictSame(await store.generations(), []);
    await t.rejects(store.progress(), ReadModelsBuilding);
    await store.beginEmpty();
    t.strictSame(await store.progress(), START);
    await write(store, put([1], { n: 'one' }));
    await store.beginEmpty();
    t.strictSame(await read(store, [1]), { n: 'one' }, 'and says it once');
    const two = await under.open('two');
    await two.beginEmpty();
    await t.rejects(two.progress(), ReadModelsBuilding, 'the log is not empty any more');
  });

  t.test('what is claimed is not abandoned, however long it writes without progress', async (t) => {
    const { store, under } = await fresh(t, 'one');
    const begun = await claimed(store, 'first');
    for (let written = 0; written < 3; written += 1) {
      under.clock.at += HOUR;
      await begun.renewClaim();
      await write(begun, put([1], { n: `written ${written}` }));
    }
    await (await under.open('two')).close();
    await write(begun, put([1], { n: 'last' }));
    await advance(begun);
    under.clock.at += HOUR + 1;
    await (await under.open('two')).close();
    await t.rejects(begun.advance(at(1n), at(2n)), ReadModelsUnavailable, 'nobody has renewed it');
  });

  t.test('what was begun is gone on with by one builder, until it is complete', async (t) => {
    const { store, under } = await fresh(t, 'one');
    const begun = await claimed(store, 'first');
    await write(begun, put([1], { n: 'first' }));
    await advance(begun);
    const other = await under.open('one');
    const seen = await other.claimBuild('second');
    t.match(seen, { kind: 'held', claim: /^first / });
    const { claim } = seen.kind === 'held' ? seen : { claim: '' };
    await begun.renewClaim();
    t.match(
      await other.claimBuild('second', claim),
      { kind: 'held' },
      'a claim that is renewed has not lapsed',
    );
    const renewed = await other.claimBuild('second');
    const lapsed = renewed.kind === 'held' ? renewed.claim : '';
    t.not(lapsed, claim);
    const found = await claimed(other, 'second', lapsed);
    t.equal(found.name, begun.name, 'the same is gone on with');
    await t.rejects(write(begun, put([9], {})), GenerationReplaced, 'its first builder is told');
    await t.rejects(begun.advance(at(1n), at(9n)), GenerationReplaced);
    await t.rejects(begun.renewClaim(), GenerationReplaced);
    await t.rejects(begun.switchTo(), GenerationReplaced);
    await begun.drop();
    await begun.releaseClaim();
    t.match(await store.claimBuild('third'), { kind: 'held' }, 'nor does it give away what is not its own');
    t.strictSame(await found.progress(), at(1n), 'and throws nothing away');
    await found.write([[put([2], { n: 'second' })]]);
    t.equal(await found.advance(at(1n), at(2n)), true);
    t.match(await (await under.open('two')).claimBuild('third'), { kind: 'claimed' }, 'of another version');
    await found.releaseClaim();
    const again = await claimed(store, 'third');
    t.equal(again.name, begun.name, 'what is given back needs not lapse');
    await again.switchTo();
    t.strictSame(await store.claimBuild('fourth'), { kind: 'complete' });
    await again.drop();
    t.strictSame(await read(store, [2]), { n: 'second' }, 'what is complete is not thrown away');
  });

  t.test('of many that claim at once one builds', async (t) => {
    const { under } = await fresh(t, 'one');
    const handles = await Promise.all([1, 2, 3, 4].map(() => under.open('one')));
    const turns = await Promise.all(handles.map((handle, n) => handle.claimBuild(`builder-${n}`)));
    t.strictSame(turns.map(({ kind }) => kind).toSorted(), ['claimed', 'held', 'held', 'held']);
    t.equal((await handles[0]?.generations())?.length, 1);
  });

  t.test('a build that was left alone for too long is begun again', async (t) => {
    const { store, under } = await fresh(t, 'one');
    const left = await claimed(store, 'first');
    under.clock.at += HOUR + 1;
    t.not((await claimed(store, 'second')).name, left.name);
  });

  t.test("another version's goes a day after its last write and the newer one's completion", async (t) => {
    const { store: one, under } = await fresh(t, 'one');
    await built(one, 'one');
    const two = await under.open('two');
    under.clock.at += 2 * DAY;
    await built(two, 'two');
    under.clock.at += DAY;
    await (await under.open('two')).close();
    t.strictSame(await read(one, [1]), { n: 'one' }, 'not yet');
    await advance(one);
    under.clock.at += DAY;
    await (await under.open('two')).close();
    t.strictSame(await read(one, [1]), { n: 'one' });
    under.clock.at += 1;
    await (await under.open('one')).close();
    await t.rejects(read(one, [1]), ReadModelsBuilding);
    under.clock.at += 30 * DAY;
    await (await under.open('one')).close();
    t.strictSame(await read(two, [1]), { n: 'two' }, 'the newest stays, whoever looks');
  });

  t.test('besides the newest, those of two versions are kept', async (t) => {
    const { store, under } = await fresh(t, 'v1');
    const versions = ['v1', 'v2', 'v3', 'v4'];
    for (const version of versions) await built(await under.open(version), version);
    under.clock.at += HOUR;
    await (await under.open('v4')).close();
    t.equal((await store.generations()).length, 4, 'for an hour all');
    under.clock.at += 1;
    await (await under.open('v4')).close();
    t.strictSame(
      (await store.generations()).map(({ version }) => version),
      ['v2', 'v3', 'v4'],
    );
  });
  t.end();
}
