import { EventLogUnavailable, type EventLog } from '@rollcall/application';
import { openEmbeddedEventLog } from '@rollcall/adapters';

import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Lmdb from 'lmdb';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { holdWriteLock } from '../support/write-lock.js';
import { untilThere } from '../support/until.js';
import { catchUp, collect, itemText, newEvent, newEvents, next, placeOf, put } from './event-log.support.js';

type Options = Omit<Parameters<typeof openEmbeddedEventLog>[0], 'folder'>;

async function openIn(t: Test, folder: string, options: Options = {}): Promise<EventLog> {
  const log = await openEmbeddedEventLog({ folder, ...options });
  t.teardown(() => log.close());
  return log;
}

t.test('concurrent appends share one commit', async (t) => {
  const folder = realpathSync(t.testdir());
  const log = await openIn(t, folder);
  const commitsBefore = await commitsOf(folder);
  await Promise.all(
    Array.from({ length: 100 }, (_, n) => put(log, `survey-${n}`, 'no-stream', [newEvent()])),
  );
  const commits = (await commitsOf(folder)) - commitsBefore;
  t.ok(commits <= 5, `${commits} commits for 100 appends`);
});

t.test(
  'the lock file has no holes: on a full disk a write to one through the map would end the process',
  async (t) => {
    const base = t.testdir({ log: {}, copy: {} });
    const [folder, copy] = [join(base, 'log'), join(base, 'copy')];
    chmodSync(folder, 0o700);
    await Promise.all([openIn(t, folder), openIn(t, folder)]);
    const { blocks, size, mode } = statSync(join(folder, 'lock.mdb'));
    t.ok(blocks * 512 >= size, `${blocks} blocks for ${size} bytes`);
    t.equal(mode & 0o777, 0o600, 'it is for those who may use the folder');
    t.strictSame(readdirSync(folder).sort(), ['data.mdb', 'lock.mdb']);
    copyFileSync(join(folder, 'data.mdb'), join(copy, 'data.mdb'));
    await openIn(t, copy, { readOnly: true });
    t.equal(statSync(join(copy, 'lock.mdb')).blocks, blocks, 'nor has that of a copy that is only read');
  },
);

t.test('a commit of this process wakes its followers without the poll', async (t) => {
  const folder = t.testdir();
  const follower = await openIn(t, folder, { pollMs: 2 ** 30 });
  const end = new AbortController();
  const items = follower.subscribeToAll({ after: undefined, signal: end.signal });
  const subscription = items[Symbol.asyncIterator]();
  t.equal(itemText(await next(subscription)), 'caught-up');
  await put(follower, 'survey-1', 'no-stream', [newEvent()]);
  t.equal(itemText(await next(subscription)), 'survey-1@0', 'of the same handle');
  t.equal(itemText(await next(subscription)), 'caught-up');
  const writer = await openIn(t, folder);
  await put(writer, 'survey-1', 0, [newEvent()]);
  t.equal(itemText(await next(subscription)), 'survey-1@1', 'of another handle');
  t.equal(itemText(await next(subscription)), 'caught-up');
  const thread = new Worker(THREAD, { workerData: { folder }, eval: true });
  t.equal(itemText(await next(subscription)), 'survey-1@2', 'of another thread');
  end.abort();
  await thread.terminate();
});

const ADAPTERS = import.meta.resolve('@rollcall/adapters');
const THREAD = `
  const { workerData } = require('node:worker_threads');
  (async () => {
    const { openEmbeddedEventLog } = await import('${ADAPTERS}');
    const log = await openEmbeddedEventLog({ folder: workerData.folder });
    const bytes = Buffer.from('{}');
    const id = '0190b5a0-7c3a-7d11-9f00-0123456789ab';
    await log.append('survey-1', 1, [{ id, type: 'X', contentType: 'json', data: bytes, metadata: bytes }]);
    await log.close();
  })();`;

const commitInAnotherProcess = (folder: string): Promise<unknown> => {
  const program = THREAD.replace(
    "require('node:worker_threads')",
    `{ workerData: ${JSON.stringify({ folder })} }`,
  );
  return promisify(execFile)(process.execPath, ['-e', program]);
};

t.test('a commit of another process wakes followers without the poll', async (t) => {
  const folder = t.testdir();
  const follower = await openIn(t, folder, { pollMs: 2 ** 30 });
  await put(follower, 'survey-1', 'no-stream', [newEvent(), newEvent()]);
  const end = new AbortController();
  const items = follower.subscribeToAll({ after: undefined, signal: end.signal });
  const subscription = items[Symbol.asyncIterator]();
  for (const text of ['survey-1@0', 'survey-1@1', 'caught-up'])
    t.equal(itemText(await next(subscription)), text);
  const waited = next(subscription);
  await commitInAnotherProcess(folder);
  t.equal(itemText(await waited), 'survey-1@2');
  end.abort();
});

for (const [how, pollMs] of [
  ['by polling', undefined],
  ['once this one is quiet', 2 ** 30],
] as const)
  t.test(`a commit of another process wakes followers while this one commits: ${how}`, async (t) => {
    const folder = t.testdir();
    const follower = await openIn(t, folder, pollMs === undefined ? {} : { pollMs });
    await put(follower, 'survey-1', 'no-stream', newEvents(2));
    const end = new AbortController();
    const items = follower.subscribeToAll({ after: undefined, signal: end.signal });
    const subscription = items[Symbol.asyncIterator]();
    for (const text of ['survey-1@0', 'survey-1@1', 'caught-up'])
      t.equal(itemText(await next(subscription)), text);
    for (const stream of ['survey-2', 'survey-3', 'survey-4']) {
      const own = next(subscription);
      await put(follower, stream, 'no-stream', [newEvent()]);
      t.equal(itemText(await own), `${stream}@0`);
      t.equal(itemText(await next(subscription)), 'caught-up');
    }
    const waited = next(subscription);
    await commitInAnotherProcess(folder);
    t.equal(itemText(await waited), 'survey-1@2');
    end.abort();
  });

t.test(
  'a write lock that another process holds is an outage in time; the append is repeated later',
  async (t) => {
    const folder = t.testdir();
    const log = await openIn(t, folder, { lockMs: 300 });
    await put(log, 'survey-1', 'no-stream', [newEvent()]);
    const release = await holdWriteLock(t, folder);
    const event = newEvent();
    await t.rejects(put(log, 'survey-1', 0, [event]), {
      name: 'EventLogUnavailable',
      message: /within 0\.3 s: .* write lock/,
    });
    await t.rejects(log.deleteStream('survey-2'), EventLogUnavailable);
    await t.rejects(Promise.resolve(log.probeAppend?.()), EventLogUnavailable);
    t.same((await collect(log.readStream('survey-1'))).length, 1, 'it can be read');
    await release();
    const again = (): Promise<unknown> => put(log, 'survey-1', 0, [event]);
    t.match(await untilThere(EventLogUnavailable, again), {
      outcome: 'appended',
      revision: 1,
      repeated: true,
    });
    await log.probeAppend?.();
  },
);

t.test('a handle that closes leaves the others of the process at work', async (t) => {
  const folder = t.testdir();
  const log = await openIn(t, folder);
  const other = await openIn(t, folder);
  await put(other, 'survey-1', 'no-stream', [newEvent()]);
  await other.close();
  await put(log, 'survey-1', 0, [newEvent()]);
  t.equal((await collect(log.readStream('survey-1'))).length, 2);
});

t.test('installations with prefixes of their own share a folder and see nothing of each other', async (t) => {
  const folder = t.testdir();
  const red = await openIn(t, folder, { streamPrefix: 'red-' });
  const blue = await openIn(t, folder, { streamPrefix: 'blue-' });
  const one = await put(red, 'survey-1', 'no-stream', newEvents(2));
  const two = await put(blue, 'survey-1', 'no-stream', [newEvent()]);
  t.ok(two.position > one.position);
  t.strictSame((await catchUp(red, undefined)).events.map(placeOf), ['survey-1@0', 'survey-1@1']);
  t.strictSame((await catchUp(blue, undefined)).events.map(placeOf), ['survey-1@0']);
  t.strictSame((await catchUp(blue, undefined, ['survey-'])).events, []);
  t.strictSame((await collect(red.readStream('survey-1'))).map(placeOf), ['survey-1@0', 'survey-1@1']);
  t.strictSame(await collect(blue.listStreams('')), [{ stream: 'survey-1', position: two.position }]);
  t.strictSame(await blue.append('survey-1', 1, [newEvent()]), { outcome: 'wrong-revision', actual: 0 });
});

t.test('a folder that cannot be used is refused with its name', async (t) => {
  const folder = t.testdir({ file: 'no folder' });
  const refused = (path: string) =>
    t.rejects(openEmbeddedEventLog({ folder: path }), { name: 'EventLogUnavailable', message: path });
  await refused(join(folder, 'file'));
  await refused(join(folder, 'file', 'below'));
  if (process.getuid?.() !== 0) {
    chmodSync(folder, 0o500);
    t.teardown(() => chmodSync(folder, 0o700));
    await refused(folder);
    await refused(join(folder, 'new'));
  }
});

t.test('a file that is no store is refused, not overwritten', async (t) => {
  const folder = t.testdir();
  writeFileSync(join(folder, 'data.mdb'), 'something else '.repeat(1000));
  await t.rejects(openEmbeddedEventLog({ folder }), EventLogUnavailable);
});

t.test('a store of a newer version is refused, and stays as it is', async (t) => {
  const folder = t.testdir();
  const first = await openEmbeddedEventLog({ folder });
  await put(first, 'survey-1', 'no-stream', [newEvent()]);
  await first.close();
  await setFormat(folder, 2);
  await t.rejects(openEmbeddedEventLog({ folder }), { name: 'EventLogUnavailable', message: 'format 2' });
  await setFormat(folder, 1);
  const again = await openIn(t, folder);
  t.equal((await collect(again.readStream('survey-1'))).length, 1);
});

/** How many write transactions the store has seen. */
async function commitsOf(folder: string): Promise<number> {
  const require = createRequire(ADAPTERS);
  const { open } = require('lmdb') as typeof Lmdb;
  const root = open({ path: folder, noSubdir: false, overlappingSync: false, encoding: 'binary' });
  const { lastTxnId } = root.getStats() as { readonly lastTxnId: number };
  await root.close();
  return lastTxnId;
}

/** Overwrites the version that the store says it has. */
async function setFormat(folder: string, version: number): Promise<void> {
  const require = createRequire(ADAPTERS);
  const { open } = require('lmdb') as typeof Lmdb;
  const root = open({ path: folder, noSubdir: false, overlappingSync: false, encoding: 'binary' });
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(version, 0, 6);
  await root.openDB({ name: 'meta', encoding: 'binary' }).put('format', bytes);
  await root.close();
}

t.test('pieces and events outlive a restart, positions go on', async (t) => {
  const folder = t.testdir();
  const first = await openIn(t, folder);
  const piece = newEvent('', { contentType: 'binary', data: Buffer.alloc(500_000, 'p') });
  const before = await put(first, 'data-1', 'no-stream', [piece]);
  await first.close();
  const second = await openIn(t, folder);
  const [stored] = await collect(second.readStream('data-1'));
  t.ok(piece.data instanceof Buffer && piece.data.equals(stored?.data ?? Buffer.alloc(0)));
  const after = await put(second, 'data-1', 0, [newEvent()]);
  t.equal(after.position, before.position + 1n);
});

t.test('a file that was cut off behind its root pages is refused, wherever it was cut', async (t) => {
  const folder = t.testdir();
  const log = await openEmbeddedEventLog({ folder });
  const large = () => newEvent('x'.repeat(30_000));
  for (let n = 1; n <= 40; n++) await put(log, `survey-${n}`, 'no-stream', [large(), large()]);
  await log.close();
  const whole = readFileSync(join(folder, 'data.mdb'));
  for (const part of [0.97, 0.9, 0.6, 0.3]) {
    writeFileSync(
      join(folder, 'data.mdb'),
      whole.subarray(0, Math.floor((whole.length * part) / 4096) * 4096),
    );
    await t.rejects(openEmbeddedEventLog({ folder }), { name: 'EventLogUnavailable', message: /is cut off/ });
  }
  writeFileSync(join(folder, 'data.mdb'), whole);
  const again = await openIn(t, folder);
  t.equal((await collect(again.listStreams('survey-'))).length, 40);
});

t.test('a file that ends before its last page because that page was given back is opened', async (t) => {
  const folder = t.testdir();
  await (await openEmbeddedEventLog({ folder })).close();
  const require = createRequire(ADAPTERS);
  const { open } = require('lmdb') as typeof Lmdb;
  const root = open({ path: folder, noSubdir: false, overlappingSync: false, encoding: 'binary' });
  const other = root.openDB<Buffer, number>({ name: 'other', encoding: 'binary' });
  await root.transaction(() => {
    for (let n = 0; n < 20; n++) other.putSync(n, Buffer.alloc(50_000));
    for (let n = 0; n < 20; n++) other.removeSync(n);
  });
  await root.close();
  for (let time = 0; time < 12; time++) await (await openEmbeddedEventLog({ folder })).close();
  const log = await openIn(t, folder);
  t.equal(await log.lastPosition(), undefined);
});
