import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { test } from 'tap';
import { onceQuiet, sinceLast } from './once-quiet.js';

void test('starts once, as soon as work leaves three quarters of the time', async (t) => {
  const shares = [1, 0.26, 0.25, 0];
  const left: number[] = [];
  const started = new Promise<void>((resolve) => {
    const timer = onceQuiet(
      () => {
        left.push(shares.length);
        resolve();
      },
      { everyMs: 1, worked: () => shares.shift() ?? 0 },
    );
    timer.ref();
  });
  await started;
  await wait(10);
  t.same(left, [1]);
});

void test('a thread that works all the time is not quiet; once it rests, it is', async (t) => {
  let isStarted = false;
  const timer = onceQuiet(() => (isStarted = true), { everyMs: 5 }).ref();
  t.teardown(() => clearInterval(timer));
  const until = performance.now() + 100;
  while (performance.now() < until) await new Promise(setImmediate);
  t.equal(isStarted, false);
  while (!isStarted) await wait(1);
});

void test('the work of other threads counts', async (t) => {
  const [worked, at, before] = [sinceLast(), performance.now(), process.cpuUsage()];
  const busy = new Worker('const end = Date.now() + 100; while (Date.now() < end);', { eval: true });
  await once(busy, 'exit');
  const share = worked();
  const { user, system } = process.cpuUsage(before);
  t.ok(share >= (0.9 * (user + system)) / 1_000 / (performance.now() - at), `${share}`);
});
