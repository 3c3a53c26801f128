import assert from 'node:assert/strict';
import { projections, subscribe } from '@rollcall/projector';
import {
  foreignReadModels,
  type LoadedEvent,
  movedProgress,
  numbersOf,
  partOf,
  partsOf,
  patternOfParts,
  progressOfHolder,
  rebalanced,
  type RecordedEvent,
  type Share,
  type SubscriptionOptions,
  sharesOf,
  streamParts,
  withShares,
  type LastProjected,
  type Progress,
} from '@rollcall/application';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { ModelReadModels } from '../support/model-read-models.js';
import { withMembers } from '../support/with-members.js';
import { append, openRig, survey } from './projector.support.js';

const START: Progress = { position: undefined };
const unending = { signal: new AbortController().signal };
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

const allParts = 2n ** BigInt(streamParts) - 1n;
const share = (holder: string, parts: bigint, position: bigint): Share => ({
  ...{ holder, parts, position, beats: 0 },
});
const ofTwo = (a: bigint, b: bigint, last?: LastProjected): Progress =>
  withShares({ position: undefined, ...(last && { last }) }, [
    share('a', 1n, a),
    share('b', allParts & ~1n, b),
  ]);
const lastAt = (revision: number, isOld = false): LastProjected => ({
  ...{ installationId: null, stream: 'company-7', revision, chain: 'ab' },
  ...(!isOld && { position: `${revision}` }),
});

/** A move of one holder's shares that is not refused. */
function moved(stored: Progress, holder: string, next: Progress): Progress {
  const found = movedProgress(stored, { expected: progressOfHolder(stored, holder), next, holder });
  if (found === undefined) throw new Error('the move is refused');
  return found;
}

t.test('the last event stays the newest one, whichever holder moves', async (t) => {
  const first = moved(ofTwo(4n, 4n, lastAt(4)), 'a', { position: 12n, last: lastAt(12) });
  t.equal(first.last?.revision, 12);
  const second = moved(first, 'b', { position: 12n, last: lastAt(5) });
  t.equal(second.last?.revision, 12, 'b has come to the same position without events of its own');
  t.equal(moved(second, 'b', { position: 13n, last: lastAt(13) }).last?.revision, 13);
  t.equal(moved(second, 'b', { position: 13n, last: lastAt(5, true) }).last?.revision, 12);
});

t.test('where an older version has written the last event, a later one than all replaces it', async (t) => {
  const old = ofTwo(12n, 4n, lastAt(12, true));
  const same = moved(old, 'b', { position: 12n, last: lastAt(5) });
  t.equal(same.last?.revision, 12);
  t.equal(moved(same, 'b', { position: 12n, last: lastAt(5, true) }).last?.revision, 12);
  t.equal(moved(same, 'b', { position: 13n, last: lastAt(13) }).last?.revision, 13);
  t.equal(moved(ofTwo(4n, 4n), 'a', { position: 5n, last: lastAt(5, true) }).last?.revision, 5);
});

t.test('a share that is further than a move stays there', async (t) => {
  const before = withShares(START, [share('a', 1n, 10n), share('a', allParts & ~1n, 50n)]);
  const { shares = [] } = moved(before, 'a', { position: 20n });
  t.strictSame(
    shares.map(({ position }) => position),
    [20n, 50n],
  );
});

t.test('a retry that has not seen the move of a further share is refused', async (t) => {
  const [before, now] = [ofTwo(5n, 10n), ofTwo(5n, 11n)];
  t.equal(now.position, before.position);
  t.equal(movedProgress(now, { expected: before, next: before }), undefined);
  t.ok(movedProgress(before, { expected: before, next: before }));
});

t.test('the remainder goes to the first holders', async (t) => {
  let progress = START;
  for (const holder of ['a', 'b', 'c', 'a', 'b', 'c']) progress = doing.take(progress, holder, 0);
  const counts = ['a', 'b', 'c'].map(
    (holder) => numbersOf(partsOf(progressOfHolder(progress, holder).shares ?? [])).length,
  );
  t.strictSame(counts, [22, 21, 21]);
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

async function sharedLog(t: Test) {
  const on = await openRig(t);
  for (let id = 1; id <= 40; id += 1) await append(on, `survey-${id}`, survey(id, 'a'));
  const readModels = new ModelReadModels();
  for (const holder of ['a', 'b', 'a', 'b']) await readModels.share((all) => rebalanced(all, holder));
  const end = (await on.log.lastPosition()) ?? 0n;
  const go = (holder: string, position: bigint) =>
    subscribe({ log: on.log, readModels, projections, holder }, { ...unending, position });
  return { on, readModels, end, go };
}

t.test('read models are of a log that holds the last event of any holder', async (t) => {
  const { on, readModels, end, go } = await sharedLog(t);
  await go('a', end - 30n);
  await go('b', end);
  await go('a', end - 20n);
  const progress = await readModels.progress();
  const { position = 0n } = progress;
  t.ok(position < end);
  t.ok(BigInt(progress.last?.position ?? 0) > position, 'the last event is of b');
  t.equal(await foreignReadModels(on.log, progress), undefined);
  const longer = withMembers(on.log, { lastPosition: () => Promise.resolve(end - 1n) });
  t.match(await foreignReadModels(longer, progress), { message: /events that the log does not hold/ });
});

t.test('events that an abort leaves out are not passed by', async (t) => {
  const { on, readModels, end } = await sharedLog(t);
  const own = partsOf(progressOfHolder(await readModels.progress(), 'a').shares ?? []);
  const stop = new AbortController();
  let left: bigint | undefined;
  const log = withMembers(on.log, {
    subscribeToAll: async function* (options: SubscriptionOptions) {
      let seen = 0;
      for await (const item of on.log.subscribeToAll({ ...options, ...unending })) {
        if (item.kind === 'caught-up') return;
        if ((partOf(item.event.stream) & own) !== 0n && (seen += 1) === 3) {
          left = item.event.position;
          stop.abort();
        }
        yield item;
      }
    },
  });
  await subscribe({ log, readModels, projections, holder: 'a' }, { signal: stop.signal, position: end });
  const { position = 0n } = progressOfHolder(await readModels.progress(), 'a');
  t.ok(left !== undefined && position < left, `${position} < ${left}`);
});
