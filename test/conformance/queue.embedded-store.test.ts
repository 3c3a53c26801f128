import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { openEmbeddedQueue, type EmbeddedQueueOptions } from '@rollcall/adapters';
import { QueueUnavailable, type Queue } from '@rollcall/application';

import type * as Lmdb from 'lmdb';
import t, { type Test } from 'tap';
import { body, drain, publish, Taker, total } from './queue.support.js';

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

t.test('this process wakes its consumers without the poll', async (t) => {
  const folder = t.testdir();
  const later = Date.now() + 3_600_000;
  const never = { pollMs: 2 ** 30, clock: { now: () => later } };
  const queue = await openIn(t, folder, never);
  const other = await openIn(t, folder, never);
  const taker = new Taker(t, queue, { maxUnsettled: 1 });
  t.equal(await taker.nothing(), true);
  await publish(queue, 'of the same handle');
  const first = await taker.next();
  t.equal(Buffer.from(first.body).toString(), 'of the same handle');
  await publish(other, 'of another handle');
  t.equal(await taker.nothing(), true, 'there is no room');
  await first.nak(10_000);
  const second = await taker.next();
  t.equal(Buffer.from(second.body).toString(), 'of another handle');
  await second.ack();
  t.equal(await taker.nothing(), true);
  const thread = new Worker(THREAD, { workerData: { folder }, eval: true });
  t.equal(await taker.text(), 'of another thread');
  await thread.terminate();
});

t.test(
  'where equal messages become one, the larger number of attempts and the earlier time count',
  async (t) => {
    const clock = { at: 0, now: () => clock.at };
    const queue = await openIn(t, t.testdir(), { clock });
    const taker = new Taker(t, queue);
    const taken = async (attempt: number) => {
      const delivery = await taker.next();
      t.equal(delivery.attempt, attempt);
      return delivery;
    };
    await publish(queue, 'a');
    await (await taken(1)).nak(0);
    const older = await taken(2);
    await publish(queue, 'a');
    await older.nak(50_000);
    t.equal(await total(queue), 1, 'beside one that was never delivered, and is due now');
    const first = await taken(3);
    await publish(queue, 'a');
    const newer = await taken(1);
    await first.nak(50_000);
    await newer.nak(10_000);
    t.equal(await total(queue), 1, 'beside one that was delivered more often, and is due later');
    clock.at += 10_000;
    await (await taken(4)).ack();
    t.equal(await total(queue), 0);
  },
);

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
  const before = readFileSync(join(folder, 'data.mdb'));
  // What the machine's other work costs comes and goes; what a consumer costs is there each time.
  let least = Infinity;
  for (let look = 0; look < 5 && least >= 100_000; look++) {
    const cpu = process.cpuUsage();
    await Promise.all(takers.map((taker) => taker.nothing()));
    const { user, system } = process.cpuUsage(cpu);
    least = Math.min(least, user + system);
  }
  t.ok(least < 100_000, `${least} microseconds of CPU time in a look`);
  t.ok(before.equals(readFileSync(join(folder, 'data.mdb'))));
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

t.test('a folder that cannot be used is refused with its name', async (t) => {
  const folder = t.testdir({ file: 'no folder' });
  for (const path of [join(folder, 'file'), join(folder, 'file', 'below')]) {
    await t.rejects(openEmbeddedQueue({ folder: path }), { name: 'QueueUnavailable', message: path });
  }
});

t.test('a file that is no store is refused, not overwritten', async (t) => {
  const folder = t.testdir();
  const file = join(folder, 'data.mdb');
  const found = 'something else '.repeat(1000);
  writeFileSync(file, found);
  await t.rejects(openEmbeddedQueue({ folder }), { name: 'QueueUnavailable', message: folder });
  t.equal(readFileSync(file, 'utf8'), found);
});

t.test('a file that was cut off or overwritten is refused, and the error says how to mend it', async (t) => {
  const whole = t.testdir();
  const queue = await openEmbeddedQueue({ folder: whole });
  await publish(queue, ...Array.from({ length: 200 }, (_, n) => `${n} ${'x'.repeat(500)}`));
  await queue.close();
  const bytes = readFileSync(join(whole, 'data.mdb'));
  const overwritten = (at: number) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from('?'), bytes.subarray(at + 1)]);
  const cut = [1, 100, 4095, 4096, 8192, bytes.length >> 1].map((size) => bytes.subarray(0, size));
  for (const damaged of [...cut, ...[24, 49, 4096 + 25].map(overwritten)]) {
    const folder = t.testdir();
    writeFileSync(join(folder, 'data.mdb'), damaged);
    await t.rejects(openEmbeddedQueue({ folder }), {
      name: 'QueueUnavailable',
      message: /remove its folder/,
    });
    t.ok(damaged.equals(readFileSync(join(folder, 'data.mdb'))), 'it was left as it is');
  }
});

t.test('a queue of a newer version is refused, and stays as it is', async (t) => {
  const folder = t.testdir();
  const first = await openEmbeddedQueue({ folder });
  await publish(first, 'a');
  await first.close();
  await setFormat(folder, 2);
  await t.rejects(openEmbeddedQueue({ folder }), { name: 'QueueUnavailable', message: 'format 2' });
  await setFormat(folder, 1);
  t.equal(await total(await openIn(t, folder)), 1);
});

/** Overwrites the version that the store says it has. */
async function setFormat(folder: string, version: number): Promise<void> {
  const require = createRequire(ADAPTERS);
  const { open } = require('lmdb') as typeof Lmdb;
  const root = open({ path: folder, noSubdir: false, overlappingSync: false, encoding: 'binary' });
  await root.openDB({ name: 'numbers', encoding: 'json' }).put('format', version);
  await root.close();
}

t.test('a damaged message is an outage that names the folder', async (t) => {
  const folder = t.testdir();
  const queue = await openIn(t, folder);
  await publish(queue, 'a');
  const require = createRequire(ADAPTERS);
  const { open } = require('lmdb') as typeof Lmdb;
  const root = open({ path: folder, noSubdir: false, overlappingSync: false, encoding: 'binary' });
  await root.openDB({ name: 'messages', encoding: 'binary' }).put(1, Buffer.from('?'));
  await root.close();
  await t.rejects(new Taker(t, queue).next(), { name: 'QueueUnavailable', message: folder });
  await publish(queue, 'b');
});

t.test(
  'a folder that is emptied while the queue is open loses what was in it; the queue goes on',
  async (t) => {
    const folder = join(t.testdir(), 'queue');
    const queue = await openIn(t, folder);
    const other = await openIn(t, folder);
    await publish(queue, 'a', 'b', 'c');
    const taker = new Taker(t, queue);
    const held = await taker.next();
    const idle = new Taker(t, other, { maxUnsettled: 1 });
    await idle.next();
    t.equal(await idle.nothing(), true);
    rmSync(folder, { recursive: true });
    await held.ack();
    await publish(queue, 'd');
    t.equal(await total(other), 1, 'both see the new one');
    t.equal(await taker.text(), 'd');
    await publish(other, 'e');
    t.equal(await taker.text(), 'e');
    const fresh = await openIn(t, folder);
    t.strictSame(await fresh.depth('imports'), { waiting: 0, unsettled: 2 });
    rmSync(folder, { recursive: true });
    t.equal(await taker.nothing(), true);
    await publish(await openIn(t, folder), 'f');
    t.equal(await taker.text(), 'f', 'and who waits sees it too');
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
