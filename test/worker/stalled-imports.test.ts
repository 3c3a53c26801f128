import { randomUUID } from 'node:crypto';
import { openEmbeddedReadModels } from '@rollcall/adapters';
import {
  LogCorrupt,
  QueueUnavailable,
  ReadModelsUnavailable,
  type DocumentWrite,
  type RecordedEvent,
  type ReadModels,
} from '@rollcall/application';
import { DUE_AFTER_MS, StalledImports, newWorkerCounts, resendStalledImports } from '@rollcall/worker';

import tap, { type Test } from 'tap';
import { HandSleep } from '../support/hand-sleep.js';
import { ManualTime } from '../support/manual-timer.js';
import { RecordedLog } from '../support/recorded-log.js';
import { HandQueue } from './hand-queue.js';
import { exactly } from '../support/exactly.js';

let revision = 0;
const put = (
  collection: string,
  key: readonly [number, string],
  document: object,
): DocumentWrite & { readonly op: 'put' } => ({
  op: 'put',
  collection,
  key,
  revision: (revision += 1),
  value: Buffer.from(JSON.stringify(document)),
});

/** In the indexes of open calls. */
const openCall = (companyId: number): Readonly<Record<string, readonly number[]>> => ({
  time: [0],
  state: [1, 0],
  companyState: [companyId, 1, 0],
});

class Rig {
  readonly queue = new HandQueue();
  readonly counts = newWorkerCounts();
  readonly logger = new RecordedLog();
  readonly clock = new ManualTime(5_000);
  readonly wallClock = new ManualTime(Date.parse('2026-11-02T10:00:00Z'));
  readonly readModels: ReadModels;
  /** When the last event of an operation was recorded, by stream. */
  readonly recorded = new Map<string, string>();
  readonly damaged = new Set<string>();
  readonly log = {
    readLast: (stream: string): Promise<RecordedEvent | undefined> => {
      if (this.damaged.has(stream)) return Promise.reject(new LogCorrupt(`${stream} is damaged`));
      const recordedAt = this.recorded.get(stream);
      if (recordedAt === undefined) return Promise.resolve(undefined);
      const metadata = Buffer.from(`{"recordedAt":"${recordedAt}","chain":"${'0'.repeat(64)}"}`);
      const event = { id: '', type: 'ImportProgressed-v1', contentType: 'json' as const, data: metadata };
      return Promise.resolve({ ...event, stream, metadata, revision: 0, position: 1n });
    },
  };

  constructor(readModels: ReadModels) {
    this.readModels = readModels;
  }

  async write(...writes: readonly DocumentWrite[]): Promise<void> {
    await (await this.readModels.liveGeneration()).write([writes]);
  }

  get queuedAt(): string {
    return new Date(this.wallClock.now()).toISOString();
  }

  /** An import of the company is pending; its ApiCalls row says so. */
  pending(companyId: number, operationId: string, queuedBy: number): Promise<void> {
    return this.write(
      put('pending-imports', [companyId, operationId], {
        companyId,
        operationId,
        revision: queuedBy,
        queuedAt: this.queuedAt,
      }),
      { ...put('api-calls', [companyId, operationId], Array(13).fill(null)), indexed: openCall(companyId) },
    );
  }

  moves(companyId: number, operationId: string, progress: number): Promise<void> {
    this.recorded.set(`operation-${operationId}`, this.queuedAt);
    return this.write(put('api-call-attempts', [companyId, operationId], { Progress: `${progress} %` }));
  }

  ends(companyId: number, operationId: string): Promise<void> {
    const key = [companyId, operationId] as const;
    return this.write({ op: 'remove', collection: 'pending-imports', key, revision: (revision += 1) });
  }
}

async function openRig(t: Test): Promise<{ rig: Rig; dueWork: StalledImports }> {
  const store = await openEmbeddedReadModels({ folder: `${t.testdir()}/${randomUUID()}`, sync: false });
  t.teardown(() => store.close());
  const rig = new Rig(store);
  return { rig, dueWork: new StalledImports(rig) };
}

const id = (n: number): string => `01890000-0000-7000-8000-${String(n).padStart(12, '0')}`;

tap.test('a company whose oldest import does not move is told of again', async (t) => {
  const { rig, dueWork } = await openRig(t);
  const { queue, clock } = rig;
  await rig.pending(7, id(2), 4);
  await rig.pending(7, id(1), 9);
  await rig.pending(8, id(3), 1);
  await dueWork.look();
  clock.pass(DUE_AFTER_MS - 1);
  await dueWork.look();
  t.same(queue.published, [], 'not before its time');
  clock.pass(1);
  await rig.moves(8, id(3), 40);
  await rig.moves(7, id(1), 40);
  await dueWork.look();
  t.same(queue.published, [7], 'the oldest one counts: the one with the smallest revision');
  t.same(queue.revisions, [4]);
  t.equal(rig.counts.sentAgain, 1);
  t.match(rig.logger.of('warn'), exactly([{ details: { companyIds: [7] } }]));
  clock.pass(DUE_AFTER_MS);
  await rig.ends(7, id(2));
  await dueWork.look();
  t.same(queue.published, [7, 8], 'what moved has its time anew; so has the next of 7');
});

tap.test('an operation whose stream others have damaged hides no other company', async (t) => {
  const { rig, dueWork } = await openRig(t);
  await rig.pending(7, id(1), 1);
  await rig.pending(8, id(2), 1);
  for (const [companyId, operationId] of [
    [7, id(1)],
    [8, id(2)],
  ] as const)
    await rig.moves(companyId, operationId, 40);
  rig.damaged.add(`operation-${id(1)}`);
  await dueWork.look();
  rig.clock.pass(DUE_AFTER_MS);
  await dueWork.look();
  t.same(rig.queue.published, [7, 8]);
});

tap.test('what still does not move is told of again and again, less and less often', async (t) => {
  const { rig, dueWork } = await openRig(t);
  await rig.pending(7, id(1), 1);
  const times: number[] = [];
  await dueWork.look();
  for (let second = 1; second <= 1_300; second++) {
    rig.clock.pass(1_000);
    const before = rig.queue.published.length;
    await dueWork.look();
    if (rig.queue.published.length > before) times.push(second);
  }
  t.same(times, [30, 60, 120, 240, 480, 780, 1080]);
});

tap.test('nothing pending, nothing told, and who is gone is forgotten', async (t) => {
  const { rig, dueWork } = await openRig(t);
  await dueWork.look();
  await rig.pending(7, id(1), 1);
  await dueWork.look();
  await rig.ends(7, id(1));
  rig.clock.pass(DUE_AFTER_MS);
  await dueWork.look();
  await rig.pending(7, id(1), 1);
  await dueWork.look();
  t.same(rig.queue.published, []);
});

tap.test('many companies, and two workers of which none is special', async (t) => {
  const { rig, dueWork } = await openRig(t);
  const companies = Array.from({ length: 250 }, (_, i) => i + 1);
  for (const company of companies) await rig.pending(company, id(company), company);
  const other = new StalledImports(rig);
  await Promise.all([dueWork.look(), other.look()]);
  rig.clock.pass(DUE_AFTER_MS);
  await dueWork.look();
  t.same(
    [...rig.queue.published].sort((a, b) => a - b),
    companies,
  );
  const lines = rig.logger.of('warn');
  t.match(
    lines,
    exactly([{ details: { companyIds: companies.slice(0, 10), companies: 250 } }]),
    'one line for all',
  );
  await other.look();
  t.equal(rig.queue.published.length, 500);
});

tap.test('a queue that is away', async (t) => {
  const { rig, dueWork } = await openRig(t);
  await rig.pending(7, id(1), 1);
  await dueWork.look();
  rig.clock.pass(DUE_AFTER_MS);
  rig.queue.broken = new Set(['publish']);
  await t.rejects(dueWork.look(), QueueUnavailable);
  rig.queue.broken = new Set();
  await dueWork.look();
  t.same(rig.queue.published, [7], 'what was not told is due at the next look');
});

tap.test('the loop looks every few seconds, whatever fails, until it is stopped', async (t) => {
  const { rig } = await openRig(t);
  const sleep = new HandSleep();
  const end = new AbortController();
  let away = true;
  const findByIndex: ReadModels['findByIndex'] = (...args) => {
    if (away) throw new ReadModelsUnavailable('the read models are away');
    return rig.readModels.findByIndex(...args);
  };
  const getMany: ReadModels['getMany'] = (collection, keys, take) =>
    rig.readModels.getMany(collection, keys, take);
  const { queue, counts, logger, clock } = rig;
  const running = resendStalledImports({
    log: rig.log,
    queue,
    counts,
    logger,
    clock,
    wallClock: rig.wallClock,
    readModels: { findByIndex, getMany },
    signal: end.signal,
    sleep: sleep.sleep,
  });
  await rig.pending(7, id(1), 1);
  t.equal(await sleep.pass(), 5_000);
  t.equal(await sleep.pass(), 5_000);
  t.match(logger.of('warn'), exactly([{ details: { problem: 'the read models are away' } }]));
  away = false;
  await sleep.pass();
  await sleep.pass();
  clock.pass(DUE_AFTER_MS);
  await sleep.pass();
  end.abort();
  await running;
  t.same(queue.published, [7]);
});

tap.test(
  'an import has stood still since the log last heard of it, not since this worker looks',
  async (t) => {
    const { rig, dueWork } = await openRig(t);
    await rig.pending(7, id(1), 1);
    await rig.pending(8, id(2), 2);
    rig.wallClock.pass(10_000);
    await rig.moves(8, id(2), 0);
    rig.wallClock.pass(DUE_AFTER_MS - 10_001);
    await new StalledImports(rig).look();
    t.same(rig.queue.published, []);
    rig.wallClock.pass(1);
    await dueWork.look();
    t.same(rig.queue.published, [7], 'one that was begun has moved since');
    rig.wallClock.pass(9_999);
    await new StalledImports(rig).look();
    t.same(rig.queue.published, [7, 7]);
    rig.wallClock.pass(1);
    await new StalledImports(rig).look();
    t.same(rig.queue.published, [7, 7, 7, 8], 'and counts from there, whoever looks');
  },
);
