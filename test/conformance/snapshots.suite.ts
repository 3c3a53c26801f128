import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { StateSnapshot, StateSnapshots } from '@rollcall/application';
import t, { type Test } from 'tap';
import {
  filled,
  snapshotOf,
  stream,
  type FreshSnapshots,
  type SnapshotsUnderTest,
} from './snapshots.support.js';
import { Program } from '../support/program.js';
import { scale, seed } from '../support/scale.js';

const CHILD = fileURLToPath(new URL('./snapshots.child.js', import.meta.url));

const hours = (count: number): number => count * 60 * 60_000;

function same(t: Test, found: StateSnapshot | 'unusable' | undefined, wanted: StateSnapshot): void {
  if (typeof found !== 'object') return void t.equal(found, wanted);
  t.strictSame({ ...found, bytes: undefined }, { ...wanted, bytes: undefined });
  t.ok(Buffer.compare(found.bytes, wanted.bytes) === 0, 'the bytes');
}

/** The rules of the state snapshots' port, for any adapter. */
export function snapshotsConformance(adapter: string, fresh: FreshSnapshots): void {
  t.test(`${adapter}: a snapshot of any size comes back whole, from every handle`, async (t) => {
    const under = await fresh(t);
    const [one, other] = [await under.open(), await under.open()];
    t.equal(await one.newest(stream, 3), undefined);
    for (const [revision, size] of [0, 1, 1_048_576, 1_048_577, 5_000_000].entries()) {
      const snapshot = snapshotOf(revision, randomBytes(size));
      await one.put(snapshot);
      same(t, await other.newest(stream, 3), snapshot);
    }
  });

  t.test(`${adapter}: stream and state version tell them apart`, async (t) => {
    const store = await (await fresh(t)).open();
    const all = [
      snapshotOf(1, Buffer.from('one')),
      snapshotOf(2, Buffer.from('two'), { stateVersion: 4 }),
      snapshotOf(3, Buffer.from('three'), { stream: 'company-70' }),
    ];
    for (const one of all) await store.put(one);
    for (const one of all) same(t, await store.newest(one.stream, one.stateVersion), one);
    t.equal(await store.newest('company-70', 4), undefined);
  });

  t.test(`${adapter}: the last one that was put counts, also of a log that was put back`, async (t) => {
    const under = await fresh(t);
    const store = await under.open();
    await store.put(filled(9));
    const pieces = await under.pieces();
    await store.put(filled(2));
    same(t, await store.newest(stream, 3), filled(2));
    t.equal(await under.pieces(), pieces, 'nothing is left of the one before');
  });

  t.test(`${adapter}: two writers at once, and readers meanwhile`, async (t) => {
    const under = await fresh(t);
    const [one, other, reader] = [await under.open(), await under.open(), await under.open()];
    await one.put(filled(1));
    const pieces = await under.pieces();
    const write = async (store: StateSnapshots, first: number): Promise<void> => {
      for (let revision = first; revision < 20; revision += 2) await store.put(filled(revision));
    };
    const state = { isWriting: true };
    const writing = Promise.all([write(one, 2), write(other, 3)]).finally(() => (state.isWriting = false));
    let reads = 0;
    for (; state.isWriting; reads += 1) {
      const found = await reader.newest(stream, 3);
      if (typeof found !== 'object') t.fail(`${found} where one is whole`);
      else same(t, found, filled(found.revision));
    }
    await writing;
    t.ok(reads > 0);
    await one.put(filled(20));
    same(t, await reader.newest(stream, 3), filled(20));
    t.equal(await under.pieces(), pieces, 'nothing is left of the others');
  });

  t.test(`${adapter}: what is not as it was put is of no use, until another is put`, async (t) => {
    const names = Object.keys((await fresh(t)).harms);
    for (const name of names) {
      const under = await fresh(t);
      const store = await under.open();
      await store.put(filled(1));
      await under.harms[name]?.();
      t.equal(await store.newest(stream, 3), 'unusable', name);
      await store.put(filled(2));
      same(t, await store.newest(stream, 3), filled(2));
    }
  });

  t.test(`${adapter}: what a crash has left goes, and what is of another state version`, async (t) => {
    const under = await fresh(t);
    const before = await under.open();
    await before.put(snapshotOf(1, Buffer.from('old'), { stateVersion: 2 }));
    await before.put(filled(1));
    const pieces = await under.pieces();
    await under.leaveUnfinished();
    await (await under.open()).put(filled(2));
    t.equal(typeof (await before.newest(stream, 2)), 'object', 'older processes may read it');
    under.clock.at += hours(25);
    await (await under.open()).put(filled(3));
    t.equal(await before.newest(stream, 2), undefined);
    t.equal(await under.pieces(), pieces - 1);
    same(t, await before.newest(stream, 3), filled(3));
    const running = await under.open();
    await running.put(filled(4));
    await (await under.open()).put(snapshotOf(1, Buffer.from('old'), { stateVersion: 2 }));
    under.clock.at += hours(25);
    await running.put(filled(5));
    t.equal(await running.newest(stream, 2), undefined, 'also of a process that goes on running');
  });

  t.test(
    `${adapter}: after kill -9 what was put last is there, or what was under way`,
    { timeout: 600_000 },
    async (t) => {
      const under = await fresh(t);
      const store = await under.open();
      const rounds = Math.max(3, Math.ceil(10 * scale));
      t.comment(`${rounds} rounds, TEST_SEED=${seed}`);
      let revision = 0;
      for (const delay of fc.sample(fc.integer({ min: 0, max: 150 }), { numRuns: rounds, seed })) {
        const told = await putUntilKilled(under, revision, delay);
        const found = await store.newest(stream, 3);
        if (typeof found !== 'object') throw new Error(`${found} behind ${told}`);
        t.ok(found.revision === told || found.revision === told + 1, `${found.revision}, told ${told}`);
        same(t, found, filled(found.revision));
        revision = found.revision;
      }
      under.clock.at = Date.now() + hours(2);
      await (await under.open()).put(filled(revision));
      t.equal(await under.pieces(), await piecesOfOne(fresh, t), 'nothing else is left');
    },
  );
}

async function piecesOfOne(fresh: FreshSnapshots, t: Test): Promise<number> {
  const under = await fresh(t);
  await (await under.open()).put(filled(1));
  return under.pieces();
}

/** Kills a process that puts one snapshot after the other, and gives back the last one that it told of. */
async function putUntilKilled(under: SnapshotsUnderTest, first: number, delayMs: number): Promise<number> {
  const child = new Program([CHILD, under.adapter, under.location, String(first)]);
  await child.says(/\n/);
  await wait(delayMs);
  await child.kill();
  await child.ended;
  const said = child.lines.filter((line) => line.endsWith('.')).at(-1);
  return Number(said?.slice(0, -1));
}
