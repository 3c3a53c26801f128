import { ReadModelsUnavailable } from './ports/read-models.js';
import { inTurn, SingleFlight, Limiter } from './concurrency.js';

import t from 'tap';

t.test('with freshMs, one run for all who ask while it runs, and within a second of its start', async (t) => {
  let now = 0;
  let looks = 0;
  const ends: (() => void)[] = [];
  const flight = new SingleFlight(
    () => {
      const number = ++looks;
      return new Promise<number>((resolve) => ends.push(() => resolve(number)));
    },
    { freshMs: 1_000, timer: () => now },
  );
  const look = (): Promise<number> => flight.once();
  const first = [look(), look()];
  now = 1_500;
  first.push(look());
  t.equal(looks, 1, 'never two at a time');
  ends[0]?.();
  t.same(await Promise.all(first), [1, 1, 1]);
  const second = look();
  t.equal(looks, 2);
  ends[1]?.();
  t.equal(await second, 2);
  now = 2_499;
  t.equal(await look(), 2);
  now = 2_500;
  const third = look();
  ends[2]?.();
  t.equal(await third, 3);
});

t.test('with freshMs, a run that fails answers all, and is repeated a second later', async (t) => {
  let now = 0;
  let looks = 0;
  const flight = new SingleFlight(
    () => (++looks === 1 ? Promise.reject(new Error('away')) : Promise.resolve(looks)),
    { freshMs: 1_000, timer: () => now },
  );
  const look = (): Promise<number> => flight.once();
  await t.rejects(look(), /away/);
  await t.rejects(look(), /away/);
  now = 1_000;
  t.equal(await look(), 2);
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('no more enter than there are slots, however many wait', async (t) => {
  const slots = new Limiter(2);
  const ends: (() => void)[] = [];
  const entered: number[] = [];
  let [inside, most] = [0, 0];
  const all = Array.from({ length: 30 }, async (_, index) => {
    const leave = await slots.enter();
    entered.push(index);
    most = Math.max(most, (inside += 1));
    await new Promise<void>((resolve) => ends.push(resolve));
    inside -= 1;
    leave();
    leave();
  });
  while (entered.length < 30) {
    await turn();
    for (const end of ends.splice(0)) end();
  }
  for (const end of ends.splice(0)) end();
  await Promise.all(all);
  t.equal(most, 2);
  t.strictSame(entered, [...entered.keys()], 'in the order in which they came');
});

t.test('that many wait makes no slot dearer', async (t) => {
  const slots = new Limiter(1);
  const count = 30_000;
  let entered = 0;
  const all = Array.from({ length: count }, async () => {
    const leave = await slots.enter();
    entered += 1;
    leave();
  });
  await Promise.all(all);
  t.equal(entered, count);
});

t.test('who waits for a free one goes on when the signal aborts', async (t) => {
  const slots = new Limiter(1);
  const leave = slots.take();
  const stop = new AbortController();
  const waiting = slots.free(stop.signal);
  stop.abort();
  await waiting;
  leave();
  await slots.free(new AbortController().signal);
  t.pass();
});

t.test('in turn: an outage ends those that wait for it, and none that come later', async (t) => {
  const run = inTurn();
  let runs = 0;
  const away = () => {
    runs += 1;
    return Promise.reject(new ReadModelsUnavailable('away'));
  };
  const ended = await Promise.allSettled([run(away), run(away), run(away)]);
  t.strictSame(
    ended.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
  t.equal(runs, 1);
  t.equal(await run(() => Promise.resolve('there')), 'there');
});

t.test('in turn: one after the other in the order of the calls, also after one that failed', async (t) => {
  const run = inTurn();
  const seen: string[] = [];
  let end: () => void = () => undefined;
  const first = run(() => {
    seen.push('first');
    return new Promise<never>((_resolve, reject) => (end = () => reject(new Error('failed'))));
  });
  const others = ['second', 'third'].map((name) => run(() => Promise.resolve(seen.push(name))));
  await Promise.resolve();
  t.strictSame(seen, ['first'], 'the others wait');
  end();
  await t.rejects(first, { message: 'failed' });
  t.strictSame(await Promise.all(others), [2, 3]);
  t.strictSame(seen, ['first', 'second', 'third']);
});
