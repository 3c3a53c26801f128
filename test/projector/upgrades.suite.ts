import assert from 'node:assert/strict';
import { readModelCollections, type ReadModels } from '@rollcall/application';
import { projections, rebuild, retryStreams, type AnyProjection } from '@rollcall/projector';
import fc from 'fast-check';
import type { Test } from 'tap';
import { appenderTo, eventsOf, frozenLogs } from '../frozen/frozen-documents.js';
import { openRig, scoped, type Ending, type Rig } from '../support/rig.js';
import { scale, seed } from '../support/scale.js';
import { configured, append, projectAll, document } from './projector.support.js';
import {
  appendEvent,
  build,
  dying,
  everything,
  noting,
  versionWith,
  withCopies,
} from './upgrades.support.js';
import { exactly } from '../support/exactly.js';

/** Another handle on the rig's store, of a version. */
export type OpenVersion = (t: Ending, on: Rig, version: string) => Promise<ReadModels>;

const together = [
  ['employee-sets', 'employee-blocks', 'employee-changes', 'employee-ids', 'invitation-plans'],
  ['pending-imports', 'api-call-attempts', 'api-calls'],
];

/** What is built where a collection has a new number. */
const builtWith = (name: string): readonly string[] => together.find((own) => own.includes(name)) ?? [name];

const MINUTE = 60_000;

async function openFilled(t: Ending, count: number): Promise<Rig> {
  const on = await openRig(t);
  for (let n = 0; n < count; n += 1) await appendEvent(on, n);
  return on;
}

const names = async (store: ReadModels): Promise<string[]> =>
  (await store.generations()).map(({ name, status }) => `${name} ${status}`);

/** As an operator builds all of them anew. */
async function builtAnew(on: Rig, store: ReadModels): Promise<string[]> {
  await rebuild(store, { log: on.log, projections });
  return everything(store);
}

export function upgradeTests(t: Test, count: number, open: OpenVersion): void {
  t.test('of each version only the collections with a new number are built', async (t) => {
    const on = await openFilled(t, 12);
    const appendFrozen = appenderTo(on.log);
    for (const log of frozenLogs()) for (const event of eventsOf(log)) await appendFrozen(event);
    const first = noting(await open(t, on, versionWith()));
    await build(on, first.store);
    const all = readModelCollections.map(({ name }) => name);
    t.strictSame([[...first.written].toSorted(), first.copied.size], [all.toSorted(), 0]);
    const expected = await everything(first.store);
    const raised: string[] = [];
    for (const name of all) {
      raised.push(name);
      const next = noting(await open(t, on, versionWith(...raised)));
      await build(on, next.store);
      const built = new Set(['streams', ...builtWith(name)]);
      t.strictSame([...next.written].toSorted(), [...built].toSorted(), name);
      t.strictSame([...next.copied].toSorted(), all.filter((one) => !built.has(one)).toSorted(), name);
      t.strictSame(await everything(next.store), expected, name);
    }
    const asked = noting(await open(t, on, versionWith(...raised)));
    t.strictSame(await builtAnew(on, asked.store), expected);
    t.strictSame([...asked.written].toSorted(), all.toSorted(), 'an operator has all of them built');
    t.equal(asked.copied.size, 0);
  });

  t.test('later events come to all collections', async (t) => {
    const on = await openFilled(t, 6);
    await build(on, await open(t, on, versionWith()));
    for (let n = 6; n < 12; n += 1) await appendEvent(on, n);
    const next = noting(await open(t, on, versionWith('companies')));
    await build(on, next.store);
    t.ok(next.written.has('employee-blocks'), 'those that the older version has not projected yet');
    for (let n = 12; n < 18; n += 1) await appendEvent(on, n);
    await projectAll({ ...on, readModels: next.store, projections });
    t.strictSame(await everything(next.store), await builtAnew(on, next.store));
  });

  t.test('with a parked stream all are built, and it is retried', async (t) => {
    const on = await openFilled(t, 6);
    const poison: AnyProjection = {
      collection: 'companies',
      changes: {
        CompanyConfigured: () => {
          throw new RangeError('it cannot be applied');
        },
      },
    };
    const older = await open(t, on, versionWith());
    const others = projections.filter((one) => !('collection' in one) || one.collection !== 'companies');
    await build(on, older, { projections: [poison, ...others] });
    const streams = ['company-101', 'company-102', 'company-103'];
    t.match(await older.parkedStreams(), exactly(streams.map((stream) => ({ stream }))));
    const still = await open(t, on, versionWith('surveys'));
    await build(on, still, { projections: [poison, ...others] });
    t.match(
      await still.parkedStreams(),
      exactly(streams.map((stream) => ({ stream, revision: 0 }))),
      'it stays named',
    );
    const mended = noting(await open(t, on, versionWith('surveys', 'companies')));
    await build(on, mended.store);
    t.equal(mended.copied.size, 0);
    t.strictSame(await mended.store.parkedStreams(), []);
    t.strictSame(await everything(mended.store), await builtAnew(on, mended.store));
  });

  t.test('a stream that is parked by a new projection is retried with what was copied', async (t) => {
    const on = await openFilled(t, 6);
    await append(on, 'company-101', [configured(101, 'bad'), configured(101, 'last')], { companyId: 101 });
    await build(on, await open(t, on, versionWith()));
    const failing = projections.map((one): AnyProjection => {
      if (!('changes' in one) || one.collection !== 'companies') return one;
      const { CompanyConfigured } = one.changes;
      return {
        collection: 'companies',
        changes: {
          CompanyConfigured: (event) => {
            if (event.data.settings.name === 'bad') throw new RangeError('it cannot be applied');
            return CompanyConfigured?.(event) ?? [];
          },
        },
      };
    });
    const next = noting(await open(t, on, versionWith('companies')));
    await build(on, next.store, { projections: failing });
    t.ok(next.copied.has('employee-blocks'));
    t.match(await next.store.parkedStreams(), exactly([{ stream: 'company-101' }]));
    const run = { log: on.log, readModels: await next.store.liveGeneration(), projections };
    t.equal(await retryStreams(run, 'company-101'), 'whole');
    t.match(await document(next.store, 'companies', [101]), { settings: { name: 'last' } });
    t.strictSame(await everything(next.store), await builtAnew(on, next.store));
  });

  t.test('nothing is copied from the read models of another log', async (t) => {
    const on = await openFilled(t, 3);
    const older = await open(t, on, versionWith());
    await build(on, older);
    const live = await older.liveGeneration();
    await live.write([
      [{ op: 'put', collection: 'surveys', key: [7, 7], revision: 99, value: Buffer.from('{}') }],
    ]);
    await live.advance(await live.progress(), { position: 1_000_000n });
    const next = noting(await open(t, on, versionWith('companies')));
    await build(on, next.store);
    t.equal(next.copied.size, 0);
    t.same(await document(next.store, 'surveys', [7, 7]), undefined);
  });

  t.test('half a copy is thrown away, and a whole one gone on with', async (t) => {
    const on = await openFilled(t, 6);
    await build(on, await open(t, on, versionWith()));
    const version = versionWith('companies');
    const killed = (inCopy: string) => {
      const stop = new AbortController();
      return { inCopy, stop };
    };
    const half = killed('employee-blocks');
    const store = await open(t, on, version);
    const stopping = withCopies(store, (collection) => {
      if (collection === half.inCopy) half.stop.abort();
      return Promise.resolve();
    });
    await build(on, stopping, { stop: half.stop });
    const [begun = ''] = (await names(store)).slice(-1);
    t.match(begun, /building$/);
    const next = noting(store);
    // Its calls: the source, the first note, two of each copied collection, and the last note.
    const dead = dying(next.store, 2 + 2 * 16 + 3);
    await build(on, dead.store, { stop: dead.stop });
    const [again = ''] = (await names(store)).slice(-1);
    t.match(again, /building$/);
    t.not(again, begun);
    t.ok(next.copied.has('employee-blocks'));
    next.copied.clear();
    await build(on, next.store);
    t.strictSame((await names(store)).slice(-1), [again.replace('building', 'live')]);
    t.equal(next.copied.size, 0);
    t.notOk(next.written.has('employee-blocks'));
    t.strictSame(await everything(store), await builtAnew(on, store));
  });

  t.test('a copy of what the log no longer holds is thrown away', async (t) => {
    const [on, putBack] = [await openFilled(t, 6), await openFilled(t, 9)];
    await build(on, await open(t, on, versionWith()));
    const store = await open(t, on, versionWith('companies'));
    const dead = dying(store, 2 + 2 * 16 + 3);
    await build(on, dead.store, { stop: dead.stop });
    const [begun = ''] = (await names(store)).slice(-1);
    t.match(begun, /building$/);
    await build({ ...on, log: putBack.log }, store);
    t.notOk((await names(store)).includes(begun.replace('building', 'live')));
    t.strictSame(await everything(store), await builtAnew({ ...on, log: putBack.log }, store));
  });

  t.test('sets whose blocks went while they were copied are copied again, three times at most', async (t) => {
    for (const [times, isCopied] of [
      [1, true],
      [3, false],
    ] as const) {
      const on = await openFilled(t, 6);
      const version = `${versionWith()} times:${times}`;
      const older = await open(t, on, version);
      await build(on, older);
      let [left, n]: number[] = [times, 6];
      const changing = withCopies(await open(t, on, `${version} more:1`), async (collection) => {
        if (collection !== 'employee-blocks' || left === 0) return;
        left = (left ?? 0) - 1;
        for (let more = 0; more < 9; more += 1) {
          on.clock.at += 11 * MINUTE;
          await appendEvent(on, (n = (n ?? 0) + 1));
        }
        await projectAll({ ...on, readModels: older, projections });
      });
      const next = noting(changing);
      await build(on, next.store);
      const { copied } = await next.store.progress();
      t.equal(copied?.upTo !== undefined, isCopied);
      t.strictSame(await everything(next.store), await builtAnew(on, next.store));
    }
  });

  const numRuns = Math.max(10, Math.ceil(count * scale));
  t.test(`${numRuns} upgrades with kills`, { timeout: 1_800_000 }, async (t) => {
    let [runs, copies] = [0, 0];
    const property = fc.asyncProperty(plan, (one) =>
      scoped(async (scope) => {
        copies += await play(scope, open, one);
        runs += 1;
      }),
    );
    await t.resolves(fc.assert(property, { seed, numRuns, endOnFailure: true }));
    t.comment(
      `${runs} upgrades, ${copies} of them with copies, none differs from a build; TEST_SEED=${seed}`,
    );
    t.ok(copies > runs / 4, 'many of them copy');
  });
}

interface Plan {
  readonly before: number;
  /** Appended before the last build: minutes before each event. */
  readonly during: readonly number[];
  readonly raised: readonly string[];
  /** After how many calls builders die, one after the other. */
  readonly kills: readonly number[];
}

const plan: fc.Arbitrary<Plan> = fc.record({
  before: fc.integer({ min: 1, max: 24 }),
  during: fc.array(fc.constantFrom(0, 1, 11), { maxLength: 16 }),
  raised: fc.subarray(
    readModelCollections.map(({ name }) => name),
    { minLength: 1, maxLength: 3 },
  ),
  kills: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 3 }),
});

/** Builders die, and the older projector goes on beside the last one. Counts live copies. */
async function play(scope: Ending, open: OpenVersion, one: Plan): Promise<number> {
  const on = await openFilled(scope, one.before);
  const older = await open(scope, on, versionWith());
  await build(on, older);
  const version = versionWith(...one.raised);
  const appending = async (): Promise<void> => {
    for (const [at, minutes] of one.during.entries()) {
      on.clock.at += minutes * MINUTE;
      await appendEvent(on, one.before + at);
    }
  };
  for (const kill of one.kills) {
    const { store, stop } = dying(await open(scope, on, version), kill);
    await build(on, store, { stop });
  }
  // Opened first: two handles of one process would wait for each other's lock.
  const newer = await open(scope, on, version);
  const goingOn = appending().then(() => projectAll({ ...on, readModels: older, projections }));
  await Promise.all([goingOn, build(on, newer)]);
  await projectAll({ ...on, readModels: newer, projections });
  assert.deepEqual(await newer.parkedStreams(), []);
  const { copied } = await newer.progress();
  const built = await everything(newer);
  assert.deepEqual(built, await builtAnew(on, newer));
  return copied?.upTo === undefined ? 0 : 1;
}
