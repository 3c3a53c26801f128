import { RunStopped, type Every, type RunResult } from '@rollcall/application';
import t, { type Test } from 'tap';
import { RunThreads } from './run-threads.js';

/** A run that the test ends. */
interface Run {
  readonly companyId: number;
  readonly task: 'if-small' | 'large' | 'alone';
  /** Which thread has it: 0 for the first. */
  readonly thread: number;
  end(): void;
  fail(error: Error): void;
}

const idle = (companyId: number): RunResult => ({ kind: 'idle', companyId, upTo: 0, unknown: false });
const outOfMemory = Object.assign(new Error('no memory'), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Threads whose runs the test ends, and time that it lets pass. */
function rig(most = 4, large: ReadonlySet<number> = new Set()) {
  const runs: Run[] = [];
  const counted: number[] = [];
  const timers = new Set<() => Promise<void>>();
  let threads = 0;
  const every: Every = (_, task) => {
    timers.add(task);
    return () => timers.delete(task);
  };
  const begun = (companyId: number, task: Run['task'], thread: number): Promise<RunResult> =>
    new Promise((resolve, fail) => {
      runs.push({ companyId, task, thread, fail, end: () => resolve(idle(companyId)) });
    });
  const newThread = () => {
    const thread = threads++;
    return {
      open: () => Promise.resolve(),
      close: () => Promise.resolve(),
      runOldest: (companyId: number, { alone = false }) =>
        begun(companyId, alone ? 'alone' : 'large', thread),
      runOldestIfSmall: (companyId: number) =>
        large.has(companyId) ? Promise.resolve('is-large' as const) : begun(companyId, 'if-small', thread),
      attemptFailed: (companyId: number) => {
        counted.push(companyId);
        return Promise.resolve(idle(companyId));
      },
    };
  };
  return {
    pool: new RunThreads({ newThread, most, every }),
    counted,
    threads: () => threads,
    /** Which threads have which companies, in the order in which they got them. */
    had: () => runs.map(({ thread, companyId }) => [thread, companyId]),
    run: (companyId: number) => runs.findLast((each) => each.companyId === companyId),
    waiting: () => timers.size,
    aSecond: async () => {
      for (const task of [...timers]) if (timers.has(task)) await task();
    },
  };
}

const endOf = async ({ run }: ReturnType<typeof rig>, t: Test, companyId: number): Promise<void> => {
  const one = run(companyId);
  t.ok(one, `company ${companyId} runs`);
  one?.end();
  await settle();
};

t.test('small imports meet one warm thread, however many there are', async (t) => {
  const on = rig();
  const all = [1, 2, 3, 4, 5, 6].map((companyId) => on.pool.runOldest(companyId));
  await settle();
  t.same(on.had(), [
    [0, 1],
    [0, 2],
  ]);
  for (const companyId of [2, 1, 3, 4, 5, 6]) await endOf(on, t, companyId);
  await Promise.all(all);
  t.same(
    on.had(),
    [1, 2, 3, 4, 5, 6].map((companyId) => [0, companyId]),
    'in the order in which they came',
  );
  t.equal(on.threads(), 1);
  t.equal(on.waiting(), 0, 'nobody waits for a thread any more');
});

t.test('what has waited for a second has a further thread, and that stays', async (t) => {
  const on = rig();
  const all = [1, 2, 3].map((companyId) => on.pool.runOldest(companyId));
  await settle();
  t.equal(on.threads(), 1, 'not at once');
  await on.aSecond();
  await settle();
  t.match(on.run(3), { thread: 1, task: 'if-small' });
  await endOf(on, t, 3);
  all.push(on.pool.runOldest(4));
  await settle();
  t.match(on.run(4), { thread: 1 }, 'the next one finds it there');
  for (const companyId of [1, 2, 4]) await endOf(on, t, companyId);
  await Promise.all(all);
  t.equal(on.threads(), 2);
});

t.test('further threads are started one by one, each after a second more', async (t) => {
  const on = rig();
  const all = [1, 2, 3, 4, 5].map((companyId) => on.pool.runOldest(companyId));
  for (const threads of [1, 2, 3]) {
    await settle();
    t.equal(on.threads(), threads);
    await on.aSecond();
  }
  for (const companyId of [1, 2, 3, 4, 5]) await endOf(on, t, companyId);
  await Promise.all(all);
});

t.test('a large body has a thread of its own, at once, and holds up no small ones', async (t) => {
  const ids = [101, 102, 103];
  const on = rig(2, new Set(ids));
  let onOwnThread = 0;
  const large = ids.map((companyId) =>
    on.pool.runOldest(companyId, { onOwnThread: () => (onOwnThread += 1) }),
  );
  await settle();
  t.same(on.had(), [[1, 101]], 'one at a time where there are two threads');
  t.equal(onOwnThread, 3, 'and each has told so');
  const small = [1, 2, 3].map((companyId) => on.pool.runOldest(companyId));
  await settle();
  for (const companyId of [1, 2, 3]) await endOf(on, t, companyId);
  await Promise.all(small);
  await on.aSecond();
  t.equal(on.threads(), 2, 'no more than there may be');
  for (const companyId of [101, 102, 103]) await endOf(on, t, companyId);
  await Promise.all(large);
  t.same(on.had().slice(-2), [
    [1, 102],
    [1, 103],
  ]);
});

t.test('a process of one thread has a second one for what is large', async (t) => {
  const on = rig(1, new Set([7]));
  const runs = [on.pool.runOldest(7), on.pool.runOldest(1)];
  await settle();
  t.same(on.had(), [
    [0, 1],
    [1, 7],
  ]);
  for (const companyId of [1, 7]) await endOf(on, t, companyId);
  await Promise.all(runs);
});

t.test('who loses the thread to another is run once more, and counts only where it is alone', async (t) => {
  const on = rig();
  const runs = [1, 2].map((companyId) => on.pool.runOldest(companyId));
  await settle();
  for (const companyId of [1, 2]) on.run(companyId)?.fail(outOfMemory);
  await settle();
  t.match(on.run(1), { task: 'large', thread: 1 });
  t.match(on.run(2), { task: 'large', thread: 2 });
  t.same(on.counted, []);
  on.run(2)?.fail(outOfMemory);
  await endOf(on, t, 1);
  await Promise.all(runs);
  t.same(on.counted, [2]);
});

t.test('what waits when the process is told to end is left, and nothing waits from then on', async (t) => {
  const on = rig();
  const runs = [1, 2].map((companyId) => on.pool.runOldest(companyId));
  const waits = on.pool.runOldest(3);
  await settle();
  on.pool.stopping();
  await t.rejects(waits, RunStopped);
  await t.rejects(on.pool.runOldest(4, { alone: true }), RunStopped);
  for (const companyId of [1, 2]) await endOf(on, t, companyId);
  await Promise.all(runs);
  t.equal(on.waiting(), 0);
});
