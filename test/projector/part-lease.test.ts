import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { leaseLapseMs, leaseLookMs, PartLease } from '@rollcall/projector';
import {
  numbersOf,
  partsOf,
  progressOfHolder,
  rebalanced,
  type Share,
  streamParts,
} from '@rollcall/application';
import t, { type Test } from 'tap';
import { ModelReadModels } from '../support/model-read-models.js';

async function withTwo(t: Test) {
  const store = new ModelReadModels();
  const clock = { now: 1_000_000 };
  const timer = (): number => clock.now;
  const lease = new PartLease(store, timer);
  t.teardown(() => lease.leave());
  // On another machine, where nobody can ask for its process.
  await store.share((shares) => rebalanced(shares, 'elsewhere 1 b'));
  const wait = async (times: number, between: () => Promise<unknown> = () => Promise.resolve()) => {
    for (let n = 0; n < times; n += 1) {
      clock.now += leaseLookMs;
      await between();
      await lease.look();
    }
  };
  const held = async (holder: string): Promise<number> => {
    const { shares = [] } = await store.progress();
    return numbersOf(partsOf(shares.filter((one) => one.holder === holder))).length;
  };
  return { store, clock, lease, wait, held };
}

const looks = leaseLapseMs / leaseLookMs;

t.test('a holder that shows nothing loses its parts once its lease has lapsed, and not before', async (t) => {
  const { lease, wait, held } = await withTwo(t);
  t.equal(await lease.look(), 0n, 'there is nothing free');
  await wait(looks - 1);
  t.equal(await held('elsewhere 1 b'), streamParts);
  await wait(1);
  t.equal(await held(lease.holder), streamParts);
});

t.test('a holder that beats, or moves, keeps them', async (t) => {
  const { store, lease, wait, held } = await withTwo(t);
  let beats = 0;
  await wait(3 * looks, () => {
    beats += 1;
    return store.share((shares) => shares.map((one) => (one.beats < beats ? { ...one, beats } : one)));
  });
  t.equal(await held('elsewhere 1 b'), streamParts);
  const b = 'elsewhere 1 b';
  let position = 0n;
  await wait(3 * looks, async () => {
    const expected = progressOfHolder(await store.progress(), b);
    await store.advance(expected, { ...expected, position: (position += 1n) }, { holder: b });
  });
  t.equal(await held(b), streamParts);
  t.equal(await held(lease.holder), 0);
});

t.test('who was paused itself takes nothing before it has listened', async (t) => {
  const { clock, lease, wait, held } = await withTwo(t);
  await lease.look();
  clock.now += leaseLapseMs;
  await lease.look();
  t.equal(await held(lease.holder), 0);
  await wait(looks);
  t.equal(await held(lease.holder), streamParts);
});

t.test('a process of this machine that has ended is not waited for', async (t) => {
  const { store, lease, held } = await withTwo(t);
  const gone = lease.holder.replace(` ${process.pid} `, ' 4194304 ');
  await store.share((shares) => shares.map((one) => ({ ...one, holder: gone })));
  t.not(await lease.look(), 0n);
  t.equal(await held(lease.holder), streamParts);
});

t.test('a process of another machine with the same host name is waited for', async (t) => {
  const { store, lease, wait, held } = await withTwo(t);
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();
  if (boot === '') return t.comment('no Linux');
  const elsewhere = lease.holder.replace(` ${process.pid} `, ' 4194304 ').replace(boot, randomUUID());
  await store.share((shares) => shares.map((one) => ({ ...one, holder: elsewhere })));
  t.equal(await lease.look(), 0n);
  await wait(looks);
  t.equal(await held(lease.holder), streamParts, 'until its lease lapses');
});

t.test('a process of this machine that runs is waited for', async (t) => {
  const { store, lease, held } = await withTwo(t);
  const running = lease.holder.replace(` ${process.pid} `, ` ${process.ppid} `);
  await store.share((shares) => shares.map((one) => ({ ...one, holder: running })));
  t.equal(await lease.look(), 0n);
  t.equal(await held(running), streamParts);
});

t.test('who leaves frees its own parts, and no others', async (t) => {
  const { store, lease, held } = await withTwo(t);
  await store.share((shares) => rebalanced(shares, lease.holder));
  await store.share((shares) => rebalanced(shares, 'elsewhere 1 b'));
  await lease.look();
  t.equal(await held(lease.holder), streamParts / 2);
  await lease.leave();
  t.equal(await held(lease.holder), 0);
  t.equal(await held('elsewhere 1 b'), streamParts / 2);
});

t.test('a look in flight takes nothing back once the holder has left', async (t) => {
  const { store, held } = await withTwo(t);
  let release = (): void => undefined;
  const waits: (Promise<void> | undefined)[] = [new Promise((resolve) => (release = resolve))];
  const lease = new PartLease({
    progress: () => store.progress(),
    share: async (change) => {
      await waits.shift();
      return store.share(change);
    },
  });
  const looking = lease.look();
  await new Promise(setImmediate);
  await lease.leave();
  await store.share((shares) => shares.map((one) => ({ ...one, holder: null })));
  release();
  t.equal(await looking, 0n);
  t.equal(await held(lease.holder), 0);
});

t.test('alone it writes nothing at a look, and beats each second once somebody is there', async (t) => {
  const store = new ModelReadModels();
  let now = 0;
  const lease = new PartLease(store, () => now);
  t.teardown(() => lease.leave());
  const all = await lease.look();
  t.equal(numbersOf(all).length, streamParts);
  const before = await store.progress();
  for (now of [0, 2_000, 4_000]) {
    t.equal(await lease.look(), all);
    t.equal(await store.progress(), before);
  }
  const other = new PartLease(store);
  t.teardown(() => other.leave());
  t.equal(await other.look(), 0n);
  const half = await lease.look();
  t.equal(numbersOf(half).length, streamParts / 2, 'half of them are due to the other');
  t.equal(await other.look(), all & ~half);
  const beats = async (): Promise<number> =>
    (await store.progress()).shares?.find(({ holder }) => holder === lease.holder)?.beats ?? 0;
  const beaten = await beats();
  for (now = 4_250; now < 5_000; now += 250) t.equal(await lease.look(), half);
  t.equal(await beats(), beaten, 'a look alone writes nothing');
  t.equal(await lease.look(), half);
  t.ok((await beats()) > beaten);
});

/** What others write between a look's reading and its writing. */
async function lookedWhile(t: Test, change: (shares: readonly Share[]) => readonly Share[]) {
  const { store, clock, held } = await withTwo(t);
  let isLast = false;
  const lease = new PartLease(
    {
      progress: () => store.progress(),
      share: async (own) => {
        if (isLast) await store.share(change);
        return store.share(own);
      },
    },
    () => clock.now,
  );
  t.teardown(() => lease.leave());
  for (let n = 0; n <= looks; n += 1) {
    isLast = n === looks;
    await lease.look();
    clock.now += leaseLookMs;
  }
  return { own: await held(lease.holder), held };
}

t.test('a sign of life that comes during a look counts', async (t) => {
  const beat = (all: readonly Share[]) => all.map((one) => ({ ...one, beats: one.beats + 1 }));
  const { own, held } = await lookedWhile(t, beat);
  t.strictSame([own, await held('elsewhere 1 b')], [0, streamParts]);
});

t.test('a holder that comes during a look is not silent', async (t) => {
  const change = (all: readonly Share[]) =>
    all.map((one) => (one.holder === 'elsewhere 1 b' ? { ...one, holder: 'elsewhere 1 c' } : one));
  const { own, held } = await lookedWhile(t, change);
  t.strictSame([own, await held('elsewhere 1 c')], [0, streamParts]);
});

t.test('a lease of a former process with the number of this one has ended', async (t) => {
  const { store, lease, held } = await withTwo(t);
  const former = lease.holder.replace(/[^ ]+$/, randomUUID());
  await store.share((all) => all.map((one) => ({ ...one, holder: former })));
  await lease.look();
  t.equal(await held(lease.holder), streamParts);
});
