import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PartLease, leaseLapseMs, leaseLookMs, projections, subscribe } from '@rollcall/projector';
import {
  type LoadedEvent,
  movedProgress,
  numbersOf,
  partOf,
  partsOf,
  patternOfParts,
  progressOfHolder,
  rebalanced,
  type RecordedEvent,
  sharesOf,
  streamParts,
  withShares,
  type Progress,
} from '@rollcall/application';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { ModelReadModels } from '../support/model-read-models.js';
import { append, openRig, survey } from './projector.support.js';

const START: Progress = { position: undefined };
const holders = ['a', 'b', 'c', 'd', 'e'];

t.test('streams of one company are in one part, and companies are spread evenly', async (t) => {
  t.equal(partOf('company-7'), partOf('invitation-7-12'));
  t.equal(partOf('company-7'), partOf('webhooks-7'));
  const counts = new Map<bigint, number>();
  for (let company = 1; company <= 64_000; company += 1) {
    const part = partOf(`company-${company}`);
    counts.set(part, (counts.get(part) ?? 0) + 1);
  }
  t.equal(counts.size, streamParts);
  const few = Array.from({ length: 16 }, (_, company) => numbersOf(partOf(`company-${company}`))[0] ?? NaN);
  for (const quarter of [0, 1, 2, 3])
    t.ok(few.filter((part) => Math.floor(part / 16) === quarter).length > 2, 'few companies too');
  t.ok(Math.max(...counts.values()) < 1_150 && Math.min(...counts.values()) > 850);
});

const names = fc.oneof(
  fc.nat().map((company) => `company-${company}`),
  fc.tuple(fc.nat(), fc.nat()).map(([company, number]) => `invitation-${company}-${number}`),
  fc.uuid().map((id) => `operation-${id}`),
  fc.constantFrom('installation', 'api-users', 'surveyids', 'anchors', 'key-', 'key--1'),
);

t.test('the pattern of some parts matches the names of streams in them alone', async () => {
  const parts = fc.oneof(
    fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
    fc.nat(streamParts - 1).map((n) => 2n ** 64n - 2n ** BigInt(n)),
    fc.nat(streamParts - 1).map((n) => 2n ** BigInt(n)),
  );
  fc.assert(
    fc.property(parts, fc.array(names, { minLength: 20 }), (some, streams) => {
      const pattern = new RegExp(`^${patternOfParts(some) ?? ''}`);
      for (const stream of streams)
        assert.equal(pattern.test(stream), (partOf(stream) & some) !== 0n, stream);
    }),
  );
});

interface Step {
  readonly holder: number;
  readonly does: 'take' | 'leave' | 'move' | 'lapse';
  readonly by: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  holder: fc.nat(holders.length - 1),
  does: fc.constantFrom('take', 'take', 'move', 'move', 'leave', 'lapse'),
  by: fc.integer({ min: 1, max: 50 }),
});

/** What each part stands at, by a model that knows parts alone. */
const positionsOf = (progress: Progress): Map<number, bigint> =>
  new Map(
    sharesOf(progress).flatMap(({ parts, position }) =>
      numbersOf(parts).map((part) => [part, position ?? -1n] as const),
    ),
  );

const doing: Readonly<Record<Step['does'], (progress: Progress, holder: string, by: number) => Progress>> = {
  take: (progress, holder) => withShares(progress, rebalanced(sharesOf(progress), holder)),
  lapse: (progress, holder) => withShares(progress, rebalanced(sharesOf(progress), 'a', new Set([holder]))),
  leave: (progress, holder) =>
    withShares(
      progress,
      sharesOf(progress).map((one) => (one.holder === holder ? { ...one, holder: null } : one)),
    ),
  move: (progress, holder, by) => {
    const expected = progressOfHolder(progress, holder);
    if (partsOf(expected.shares ?? []) === 0n) return progress;
    const next = { position: (expected.position ?? 0n) + BigInt(by) };
    return movedProgress(progress, { expected, next, holder }) ?? progress;
  },
};

/** What is wrong with a progress that was this one before. */
function problemIn(progress: Progress, before: Progress): string | undefined {
  const shares = sharesOf(progress);
  const [then, now] = [positionsOf(before), positionsOf(progress)];
  const inAll = shares.reduce((sum, { parts }) => sum + numbersOf(parts).length, 0);
  if (inAll !== streamParts || now.size !== streamParts) return 'a part is in no share, or in two';
  if ([...now].some(([part, position]) => position < (then.get(part) ?? -1n))) return 'a part went back';
  const least = [...now.values()].reduce((one, other) => (one < other ? one : other));
  return (progress.position ?? -1n) === least ? undefined : 'it is not the lowest';
}

t.test(
  'whatever holders do, each part is in one share, never goes back, and the lowest one counts',
  async () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let progress = START;
        for (const { holder, does, by } of steps) {
          const before = progress;
          progress = doing[does](progress, holders[holder] ?? '', by);
          assert.equal(problemIn(progress, before), undefined);
        }
        for (const holder of [...holders, ...holders, ...holders]) progress = doing.take(progress, holder, 0);
        const sizes = holders.map(
          (holder) => numbersOf(partsOf(progressOfHolder(progress, holder).shares ?? [])).length,
        );
        assert.ok(Math.max(...sizes) - Math.min(...sizes) <= 1, 'they are spread evenly');
      }),
    );
  },
);

t.test('a move is refused to who has lost a part, and to who holds none while others do', async (t) => {
  const taken = withShares(START, rebalanced(sharesOf(START), 'a'));
  const shared = withShares(taken, rebalanced(rebalanced(sharesOf(taken), 'b'), 'a'));
  const next = { position: 5n };
  const expected = progressOfHolder(taken, 'a');
  t.match(movedProgress(taken, { expected, next, holder: 'a' }), next);
  t.equal(movedProgress(shared, { expected, next, holder: 'a' }), undefined);
  t.equal(movedProgress(shared, { expected: shared, next }), undefined);
  const again = progressOfHolder(shared, 'a');
  const moved = movedProgress(shared, { expected: again, next, holder: 'a' }) ?? START;
  t.equal(moved.position, undefined, 'what a has given up stands where it stood');
  t.equal(progressOfHolder(moved, 'a').position, 5n);
});

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
  clock.now += 10 * leaseLapseMs;
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
  t.equal(await lease.look(), all);
  t.equal(await store.progress(), before);
  const other = new PartLease(store);
  t.teardown(() => other.leave());
  t.equal(await other.look(), 0n);
  const half = await lease.look();
  t.equal(numbersOf(half).length, streamParts / 2, 'half of them are due to the other');
  t.equal(await other.look(), all & ~half);
  const beats = async (): Promise<number> =>
    (await store.progress()).shares?.find(({ holder }) => holder === lease.holder)?.beats ?? 0;
  const beaten = await beats();
  for (now = 250; now < 1_000; now += 250) t.equal(await lease.look(), half);
  t.equal(await beats(), beaten, 'a look alone writes nothing');
  t.equal(await lease.look(), half);
  t.ok((await beats()) > beaten);
});

t.test('a holder applies the events of its parts, and reads those of others too', async (t) => {
  const on = await openRig(t);
  for (let id = 1; id <= 40; id += 1) await append(on, `survey-${id}`, survey(id, 'a'));
  const readModels = new ModelReadModels();
  for (const holder of ['a', 'b', 'a', 'b']) await readModels.share((all) => rebalanced(all, holder));
  const [read, applied]: [string[], string[]] = [[], []];
  const run = {
    ...{ log: on.log, readModels, projections, holder: 'a' },
    onRead: ({ stream }: RecordedEvent) => void read.push(stream),
    onApplied: ({ stream }: LoadedEvent) => Promise.resolve(void applied.push(stream)),
  };
  const position = (await on.log.lastPosition()) ?? 0n;
  t.equal(await subscribe(run, { signal: new AbortController().signal, position }), 'done');
  t.equal(read.length, 40);
  const own = partsOf(progressOfHolder(await readModels.progress(), 'a').shares ?? []);
  t.strictSame(
    applied,
    read.filter((stream) => (partOf(stream) & own) !== 0n),
  );
  t.ok(applied.length > 0 && applied.length < 40);
});
