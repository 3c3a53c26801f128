import { ImportsBusy } from '@rollcall/application';
import t from 'tap';
import { FairLimiter } from './accept-queue.js';

/** Tasks that end by hand, and the order in which they began. */
function rig({ most = 1, waitMs = 60_000 } = {}) {
  const turns = new FairLimiter(most);
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (companyId: number, name: string): Promise<void> =>
    turns.run(companyId, waitMs, () => {
      began.push(name);
      return new Promise((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { turns, began, start, end };
}

t.test('one task runs at a time, and companies take turns', async (t) => {
  const { began, start, end } = rig();
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'].map((name) => start(name.charCodeAt(0), name));
  t.same(began, ['a1']);
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']) {
    t.equal(began.at(-1), name);
    await end(name);
  }
  await Promise.all(all);
  t.same(began, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

t.test(
  'tasks of different companies run side by side, so many at a time; those of one company never',
  async (t) => {
    const { began, start, end } = rig({ most: 2 });
    const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'].map((name) => start(name.charCodeAt(0), name));
    t.same(began, ['a1', 'b1']);
    await end('b1');
    t.same(began, ['a1', 'b1', 'c1'], 'company a waits for itself and holds up nobody');
    await end('a1');
    t.same(began, ['a1', 'b1', 'c1', 'a2']);
    const b2 = start('b'.charCodeAt(0), 'b2');
    for (const name of ['a2', 'c1']) await end(name);
    t.same(began, ['a1', 'b1', 'c1', 'a2', 'a3', 'c2'], 'whose own task runs is passed over, and comes next');
    for (const name of ['a3', 'c2', 'b2']) await end(name);
    await Promise.all([...all, b2]);
  },
);

t.test('a task that fails hands the turn on', async (t) => {
  const { turns } = rig();
  const failing = turns.run(7, 60_000, () => Promise.reject(new Error('no')));
  const next = turns.run(7, 60_000, () => Promise.resolve('done'));
  await t.rejects(failing, { message: 'no' });
  t.equal(await next, 'done');
  t.equal(await turns.run(8, 60_000, () => Promise.resolve('later')), 'later');
});

t.test('who waits too long is told so, and never runs', async (t) => {
  const { began, start, end } = rig({ waitMs: 10 });
  const first = start(7, 'first');
  await t.rejects(start(7, 'late'), ImportsBusy);
  await t.rejects(start(8, 'of another'), ImportsBusy);
  await end('first');
  await first;
  const next = start(7, 'next');
  await end('next');
  await next;
  t.same(began, ['first', 'next']);
});
