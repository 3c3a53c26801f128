import { randomUUID } from 'node:crypto';
import fs, { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { openEmbeddedQueue, type EmbeddedQueueOptions } from '@rollcall/adapters';
import { QueueUnavailable, type Queue } from '@rollcall/application';

import t, { type Test } from 'tap';
import { startChild } from './queue.crash.js';
import { body, drain, holds, publish, Taker, total } from './queue.support.js';

type Options = Omit<EmbeddedQueueOptions, 'folder'>;

async function openIn(t: Test, folder: string, options: Options = {}): Promise<Queue> {
  const queue = await openEmbeddedQueue({ folder, ...options });
  t.teardown(() => queue.close());
  return queue;
}

const ADAPTERS = import.meta.resolve('@rollcall/adapters');
const THREAD = `
  const { workerData } = require('node:worker_threads');
  (async () => {
    const { openEmbeddedQueue } = await import('${ADAPTERS}');
    const queue = await openEmbeddedQueue({ folder: workerData.folder });
    await queue.publish('imports', Buffer.from('of another thread'));
    await queue.close();
  })();`;

const filesIn = (folder: string): string[] => readdirSync(join(folder, 'imports'));

t.test('a consumer that waits gets what this process publishes by memory alone', async (t) => {
  const folder = t.testdir();
  const queue = await openIn(t, folder);
  const other = await openIn(t, folder);
  const taker = new Taker(t, queue, { maxUnsettled: 1 });
  t.equal(await taker.nothing(), true);
  await publish(other, 'a');
  t.strictSame(filesIn(folder), []);
  t.equal(await taker.text(), 'a');
  t.equal(await taker.nothing(), true, 'there is no room');
  await publish(queue, 'b');
  t.equal(filesIn(folder).length, 1, 'what nobody can take now is for any process');
});

t.test('another thread wakes a consumer', async (t) => {
  const folder = t.testdir();
  const taker = new Taker(t, await openIn(t, folder));
  t.equal(await taker.nothing(), true);
  const thread = new Worker(THREAD, { workerData: { folder }, eval: true });
  t.equal(await taker.text(), 'of another thread');
  await thread.terminate();
});

t.test('another process begins a message within 100 ms', async (t) => {
  const folder = t.testdir();
  const queue = await openIn(t, folder);
  const open = (): Promise<Queue> => openIn(t, folder);
  const under = { adapter: 'embedded', location: folder, ackDeadlineMs: 30_000, open, pass: async () => {} };
  const child = await startChild(t, under, 'consume');
  const took: number[] = [];
  // It answers every second one.
  for (const text of ['1', '3', '5']) {
    const begun = performance.now();
    await publish(queue, text);
    await child.heard(`done ${text}`);
    took.push(performance.now() - begun);
    await publish(queue, `after ${text}`);
    await holds(t, queue, 0, { why: 'the child has it in memory' });
  }
  t.ok(Math.min(...took) < 100, `${took.join(', ')} ms`);
});

t.test('a killed process takes along what was delivered to it, and nothing else', async (t) => {
  const folder = t.testdir();
  const queue = await openIn(t, folder);
  const open = (): Promise<Queue> => openIn(t, folder);
  const under = { adapter: 'embedded', location: folder, ackDeadlineMs: 30_000, open, pass: async () => {} };
  const child = await startChild(t, under, 'hold');
  await publish(queue, 'a');
  await child.heard('took');
  await publish(queue, 'b', 'c');
  await child.kill();
  t.strictSame(await drain(t, queue), ['b', 'c']);
});

t.test('a delayed message and an equal new one become one, due at the earlier time', async (t) => {
  const clock = { at: 0, now: () => clock.at };
  const queue = await openIn(t, t.testdir(), { clock });
  const taker = new Taker(t, queue);
  await publish(queue, 'a');
  const older = await taker.next();
  await publish(queue, 'a');
  const newer = await taker.next();
  await older.nak(50_000);
  await newer.nak(10_000);
  t.equal(await total(queue), 1);
  clock.at += 10_000;
  await (await taker.next()).ack();
  t.equal(await total(queue), 0);
});

/** Whether no more than so many things keep the process busy; the library's own timers run out within some turns. */
async function fallsTo(count: number): Promise<boolean> {
  for (let turn = 0; turn < 1000; turn++) {
    if (process.getActiveResourcesInfo().length <= count) return true;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return false;
}

t.test('nothing ticks unless somebody waits', async (t) => {
  const queue = await openIn(t, t.testdir());
  await publish(queue, 'a');
  const idle = process.getActiveResourcesInfo().length;
  const taker = new Taker(t, queue);
  await taker.next();
  t.ok(await fallsTo(idle));
  void taker.nothing();
  t.ok(process.getActiveResourcesInfo().length > idle);
  await taker.stop();
  t.ok(await fallsTo(idle + 1), 'what is left is the look of this test');
});

t.test('an idle consumer costs next to nothing, and writes nothing', async (t) => {
  const folder = t.testdir();
  const queue = await openIn(t, folder);
  await publish(queue, 'a');
  const takers = [new Taker(t, queue), new Taker(t, queue), new Taker(t, queue)];
  await takers[0]?.next();
  // What the machine's other work costs comes and goes; what a consumer costs is there each time.
  let least = Infinity;
  for (let look = 0; look < 5 && least >= 100_000; look++) {
    const cpu = process.cpuUsage();
    await Promise.all(takers.map((taker) => taker.nothing()));
    const { user, system } = process.cpuUsage(cpu);
    least = Math.min(least, user + system);
  }
  t.ok(least < 100_000, `${least} microseconds of CPU time in a look`);
  t.strictSame(filesIn(folder), []);
});

t.test('neither a delay nor a deadline waits for a clock that was set back', async (t) => {
  const queue = await openIn(t, t.testdir(), { ackDeadlineMs: 100 });
  const taker = new Taker(t, queue);
  await publish(queue, 'a', 'b');
  await (await taker.next()).nak(100);
  await taker.next();
  const now = Date.now.bind(Date);
  t.intercept(Date, 'now', { value: () => now() - 86_400_000 });
  t.strictSame([await taker.text(), await taker.text()].sort(), ['a', 'b']);
});

t.test('a handle that closes leaves the others of the process at work', async (t) => {
  const folder = t.testdir();
  const queue = await openIn(t, folder);
  const other = await openIn(t, folder);
  await publish(other, 'a');
  await other.close();
  await publish(queue, 'b');
  t.strictSame(await drain(t, queue), ['a', 'b']);
});

t.test('the last handle of a process leaves everything to others, delayed messages at once', async (t) => {
  const folder = t.testdir();
  const queue = await openIn(t, folder);
  await publish(queue, 'a', 'b');
  const taker = new Taker(t, queue);
  await (await taker.next()).nak(1_000_000);
  await taker.next();
  await queue.close();
  t.equal(filesIn(folder).length, 2);
  t.strictSame(await drain(t, await openIn(t, folder)), ['a', 'b']);
});

t.test('a folder that cannot be used is refused with its name', async (t) => {
  const folder = t.testdir({ file: 'no folder' });
  for (const path of [join(folder, 'file'), join(folder, 'file', 'below')]) {
    await t.rejects(openEmbeddedQueue({ folder: path }), { name: 'QueueUnavailable', message: path });
  }
});

t.test('the store of an earlier version is left alone', async (t) => {
  const folder = t.testdir({ 'data.mdb': 'of another version', 'lock.mdb': '' });
  const queue = await openIn(t, folder);
  await publish(queue, 'a');
  t.strictSame(await drain(t, queue), ['a']);
  t.strictSame(readdirSync(folder).sort(), ['data.mdb', 'imports', 'invitations', 'lock.mdb']);
});

t.test(
  'a folder that is emptied while the queue is open loses what was in it; the queue goes on',
  async (t) => {
    const folder = join(t.testdir(), 'queue');
    const queue = await openIn(t, folder);
    const taker = new Taker(t, queue, { maxUnsettled: 1 });
    await publish(queue, 'a', 'b', 'c');
    const held = await taker.next();
    rmSync(folder, { recursive: true });
    await held.ack();
    t.equal(await taker.nothing(), true);
    await publish(queue, 'd');
    await (await taker.next()).ack();
    await taker.stop();
    await publish(queue, 'e');
    t.strictSame(await drain(t, queue), ['e']);
  },
);

t.test('a folder that cannot be made again is an outage, until it can', async (t) => {
  const parent = t.testdir({ sub: {} });
  const folder = join(parent, 'sub', 'queue');
  const queue = await openIn(t, folder);
  rmSync(join(parent, 'sub'), { recursive: true });
  writeFileSync(join(parent, 'sub'), 'in the way');
  await t.rejects(queue.publish('imports', body('a')), QueueUnavailable);
  await t.rejects(new Taker(t, queue).next(), QueueUnavailable);
  rmSync(join(parent, 'sub'));
  await publish(queue, 'a');
  t.equal(await new Taker(t, queue).text(), 'a');
});

t.test('messages that cannot be published leave no files behind', async (t) => {
  const folder = t.testdir();
  const queue = await openIn(t, folder);
  const { renameSync } = fs;
  const isFull = (): void => {
    throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  };
  Object.assign(fs, { renameSync: isFull });
  syncBuiltinESMExports();
  for (const text of ['a', 'b', 'c']) await t.rejects(queue.publish('imports', body(text)), QueueUnavailable);
  Object.assign(fs, { renameSync });
  syncBuiltinESMExports();
  await publish(queue, 'd');
  t.equal(filesIn(folder).length, 1);
});

t.test('the last handle closes although the folder does not take what it holds', async (t) => {
  const folder = t.testdir();
  const queue = await openIn(t, folder);
  await publish(queue, 'a', 'b');
  const taker = new Taker(t, queue);
  t.strictSame([await taker.text(), await taker.text()].sort(), ['a', 'b']);
  rmSync(join(folder, 'imports'), { recursive: true });
  writeFileSync(join(folder, 'imports'), 'in the way');
  await queue.close();
  await t.rejects(queue.publish('imports', body('c')), QueueUnavailable);
});

t.test('messages taken by several are each given to one, however close they come', async (t) => {
  const folder = t.testdir();
  const handles = await Promise.all(Array.from({ length: 4 }, () => openIn(t, folder)));
  for (let round = 0; round < 20; round++) {
    const takers = handles.map((handle) => new Taker(t, handle));
    const taking = takers.map(async (taker) => [await taker.text(), await taker.stop()] as const);
    const texts = takers.map((_, n) => `${round} ${n}`);
    const [first] = handles;
    if (first !== undefined) await publish(first, ...texts);
    const taken = await Promise.all(taking);
    t.strictSame(taken.map(([text]) => text).sort(), texts);
  }
});

t.test('what a killed process has left of a message goes, what is being written stays', async (t) => {
  const [left, written] = [`.${randomUUID()}`, `.${randomUUID()}`];
  const folder = t.testdir({ imports: { [left]: 'half', [written]: 'half' } });
  utimesSync(join(folder, 'imports', left), 0, Date.now() / 1000 - 61);
  await openIn(t, folder);
  t.strictSame(filesIn(folder), [written]);
});
