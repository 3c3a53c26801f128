import { openEmbeddedEventLog, openEmbeddedSnapshots } from '@rollcall/adapters';
import {
  configureCompany,
  createInstallation,
  newId,
  readProof,
  type EventLog,
  type LogProof,
  type RecordedEvent,
  type SubscriptionOptions,
} from '@rollcall/application';
import { ProofWatch } from '@rollcall/host';
import { LogProver, type ProveLogOptions } from '@rollcall/projector';
import { join } from 'node:path';
import tap, { type Test } from 'tap';
import { exactly } from '../support/exactly.js';
import { append, largeRefusal } from './projector.support.js';
import { forge } from './tampered.support.js';

const dayMs = 86_400_000;
const everyMs = 7 * dayMs;

/** A log of so many changes of one company, whose events can be altered on their way to a reader. */
async function begin(t: Test, changes: number) {
  const folder = t.testdir();
  const stored = await openEmbeddedEventLog({ folder: join(folder, 'log'), sync: false });
  const snapshots = openEmbeddedSnapshots({ folder: join(folder, 'snapshots') });
  t.teardown(() => stored.close());
  const clock = { at: Date.parse('2026-11-21T08:00:00Z'), now: () => clock.at };
  const context = (companyId: number | null) => ({
    companyId,
    operationId: newId(),
    userId: null,
    username: 'cli:test@example.com',
    causationId: null,
    receivedAt: new Date(clock.at).toISOString(),
  });
  const deps = { log: stored, clock };
  await createInstallation(deps, context(null), { installationId: newId(), keyCheck: 'ab'.repeat(32) });
  const change = async (name: string): Promise<void> => {
    await configureCompany(deps, context(7), { companyId: 7, changes: { name } });
  };
  for (let each = 0; each < changes; each += 1) await change(`Name ${each}`);
  const read: { from: bigint | undefined; alter?: (event: RecordedEvent) => RecordedEvent | undefined } = {
    from: undefined,
  };
  const log: EventLog = {
    ...stored,
    async *subscribeToAll(options: SubscriptionOptions) {
      read.from = options.after;
      for await (const item of stored.subscribeToAll(options)) {
        const event = item.kind === 'event' && read.alter ? read.alter(item.event) : undefined;
        yield event === undefined ? item : { kind: 'event', event };
      }
    },
    async *readStream(name, options) {
      for await (const event of stored.readStream(name, options)) yield read.alter?.(event) ?? event;
    },
  };
  const options: ProveLogOptions = {
    log,
    snapshots,
    clock,
    everyMs,
    signal: new AbortController().signal,
    sleep: () => Promise.resolve(),
  };
  const proof = async (): Promise<LogProof> => {
    const found = await readProof({ log, snapshots });
    if (found === undefined) throw new Error('there is no proof');
    return found;
  };
  const watch = new ProofWatch({ log, snapshots, every: () => () => undefined });
  return { log, stored, clock, change, read, options, proof, watch, snapshots };
}

tap.test('the first round is made at once, the next evenly over a week, across restarts', async (t) => {
  const { clock, change, read, options, proof } = await begin(t, 99);
  const prover = new LogProver(options);
  t.equal(await prover.tick(), 300_000);
  const first = await proof();
  t.match(first, { verifiedTo: undefined, wholeAt: clock.at, begunAt: clock.at, broken: { length: 0 } });

  clock.at += 3.5 * dayMs;
  await prover.tick();
  t.equal((await proof()).verifiedTo, 50n, 'half of it in half of the time');
  await prover.tick();
  t.equal(read.from, 50n, 'nothing is read again');

  const next = new LogProver(options);
  clock.at += dayMs;
  const lapsed = (await proof()).at;
  clock.at = lapsed + 60_000;
  await next.tick();
  t.equal((await proof()).by, first.by, 'it stands by');
  clock.at = lapsed + dayMs;
  await next.tick();
  t.not((await proof()).by, first.by);
  t.equal(read.from, 50n, 'it goes on where the other one stopped');
  t.equal((await proof()).verifiedTo, 64n);

  await change('Another');
  clock.at = first.begunAt + everyMs;
  await next.tick();
  t.match(await proof(), { verifiedTo: undefined, wholeAt: clock.at, begunAt: clock.at });
});

tap.test('a minute of work begins with the first event, however long the log takes to send it', async (t) => {
  const { log, clock, options, proof } = await begin(t, 9);
  const now = process.hrtime.bigint.bind(process.hrtime);
  let passed = 0n;
  t.intercept(process.hrtime, 'bigint', { value: () => now() + passed });
  const slow: EventLog = {
    ...log,
    async *subscribeToAll(from: SubscriptionOptions) {
      passed += 90_000_000_000n;
      yield* log.subscribeToAll(from);
    },
  };
  const rests: number[] = [];
  const sleep = (ms: number) => Promise.resolve(void rests.push(ms));
  t.equal(await new LogProver({ ...options, log: slow, sleep }).tick(), 300_000);
  t.equal((await proof()).wholeAt, clock.at);
  t.ok(
    rests.every((ms) => ms < 90_000),
    'it rests for its work alone',
  );
});

tap.test('a clock that was a year ahead stops no proof once it is right', async (t) => {
  const { clock, options, proof } = await begin(t, 9);
  const right = clock.at;
  clock.at += 365 * dayMs;
  await new LogProver(options).tick();
  const { by } = await proof();
  clock.at = right;
  const prover = new LogProver(options);
  await prover.tick();
  t.not((await proof()).by, by, 'another takes over');
  t.match(await proof(), { verifiedTo: undefined, wholeAt: right, begunAt: right }, 'and makes a round');
});

tap.test('a broken chain is named until the stream is whole again', async (t) => {
  const { clock, read, options, proof, watch } = await begin(t, 9);
  read.alter = (event) =>
    event.stream === 'company-7' && event.revision === 3
      ? { ...event, data: Buffer.from(Buffer.from(event.data).toString().replace('Name 3', 'Name 4')) }
      : undefined;
  await new LogProver(options).tick();
  t.match(await proof(), {
    wholeAt: null,
    broken: exactly([
      { stream: 'company-7', revision: 3, problem: 'The chain of company-7 is broken at revision 3' },
    ]),
  });
  t.equal((await proof()).broken.length, 1, 'what follows is measured by what is stored');
  await watch.look();
  t.strictSame(watch.problems(), [
    { problem: 'the event log is broken: company-7 at revision 3', isOutage: false },
  ]);

  clock.at += dayMs;
  const same = new LogProver(options);
  await same.tick();
  t.equal((await proof()).broken.length, 1, 'a restart finds it again');
  delete read.alter;
  clock.at += dayMs;
  await new LogProver(options).tick();
  t.strictSame((await proof()).broken, [], 'after a restore');
  await watch.look();
  t.strictSame(watch.problems(), []);
});

tap.test('a missing event is found, and a log that lacks what was verified begins anew', async (t) => {
  const { stored, options, proof, clock } = await begin(t, 9);
  const without: EventLog = {
    ...stored,
    async *subscribeToAll(from: SubscriptionOptions) {
      for await (const item of stored.subscribeToAll(from))
        if (item.kind !== 'event' || item.event.stream !== 'company-7' || item.event.revision !== 4)
          yield item;
    },
    async *readStream(name, range) {
      for await (const event of stored.readStream(name, range))
        if (name !== 'company-7' || event.revision !== 4) yield event;
    },
  };
  await new LogProver({ ...options, log: without }).tick();
  t.match(await proof(), {
    broken: exactly([{ revision: 5, problem: 'The event at revision 4 of company-7 is missing' }]),
  });

  const other = await begin(t, 3);
  await new LogProver({ ...other.options, snapshots: options.snapshots, clock }).tick();
  t.equal(await readProof({ log: stored, snapshots: options.snapshots }), undefined);
  const mine = await readProof({ log: other.stored, snapshots: options.snapshots });
  t.match(mine, { wholeAt: clock.at, broken: { length: 0 } });
});

tap.test('a stream that heals is named to the end of the next round', async (t) => {
  const { clock, read, options, proof } = await begin(t, 9);
  read.alter = (event) => {
    clock.at += 1;
    return event.stream === 'company-7' && event.revision === 3
      ? { ...event, data: Buffer.from('{}') }
      : event;
  };
  const prover = new LogProver(options);
  const shown = async (ms: number) => {
    clock.at += ms;
    await prover.tick();
    const { broken, verifiedTo } = await proof();
    return [broken.map(({ stream }) => stream), verifiedTo === undefined];
  };
  t.strictSame(await shown(0), [['company-7'], true]);
  t.strictSame(await shown(everyMs), [['company-7'], true], 'it is found again');
  t.equal((await proof()).wholeAt, null);
  delete read.alter;
  t.strictSame(await shown(everyMs / 2), [['company-7'], false]);
  t.strictSame(await shown(everyMs / 2), [[], true]);
  t.equal((await proof()).wholeAt, clock.at);
});

tap.test('a log that ends before what was verified is verified from its beginning', async (t) => {
  const { log: whole, stored, snapshots, clock, read, options, proof } = await begin(t, 9);
  const before = (await stored.lastPosition()) ?? 0n;
  await append({ log: stored, clock }, 'operation-1', largeRefusal());
  const end = Number(await stored.lastPosition());
  let isCut = false;
  const log: EventLog = {
    ...whole,
    lastPosition: () => (isCut ? Promise.resolve(before) : stored.lastPosition()),
    async *subscribeToAll(from: SubscriptionOptions) {
      for await (const item of whole.subscribeToAll(from))
        if (!isCut || item.kind !== 'event' || item.event.position <= before) yield item;
    },
  };
  const prover = new LogProver({ ...options, log });
  await prover.tick();
  clock.at += Math.round((everyMs * (end - 0.5)) / end);
  await prover.tick();
  t.equal((await proof()).verifiedTo, BigInt(end - 1), 'the last chunk, before the event that names it');
  isCut = true;
  await prover.tick();
  t.equal(read.from, undefined);
  t.match(await readProof({ log, snapshots }), {
    verifiedTo: undefined,
    begunAt: clock.at,
    wholeAt: clock.at,
  });
});

tap.test('wrong data in a whole chain is named', async (t) => {
  const forged = await begin(t, 1);
  await forge(forged.stored, 'company-7', { data: { name: 'secret' } });
  await new LogProver(forged.options).tick();
  t.match(
    (await forged.proof()).broken,
    exactly([{ stream: 'company-7', revision: 1, problem: /does not fit the catalogue/ }]),
  );
  const swept = await begin(t, 1);
  const { stored, clock } = swept;
  await append({ log: stored, clock }, 'operation-1', largeRefusal());
  for await (const { stream } of stored.listStreams('data-')) await stored.deleteStream(stream);
  await new LogProver(swept.options).tick();
  t.match(
    (await swept.proof()).broken,
    exactly([{ stream: 'operation-1', revision: 0, problem: /staged data/ }]),
  );
});
