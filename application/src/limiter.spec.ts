import t from 'tap';
import { Limiter } from './limiter.js';

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
