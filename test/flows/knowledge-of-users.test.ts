import { createLogger } from '@rollcall/host';
import { RevocationCache } from '@rollcall/api';
import {
  addApiUser,
  apiUsersStream,
  configureCompany,
  revokeApiUser,
  type EventReader,
  type RecordedEvent,
} from '@rollcall/application';
import { companyStateVersion } from '@rollcall/domain';
import t, { type Test } from 'tap';
import { addUsers } from '../support/add-users.js';
import { ManualTime } from '../support/manual-timer.js';
import { openRig } from '../support/rig.js';
import { companyId, testContext } from '../support/test-store.js';
import { until } from '../support/until.js';
import { withMembers } from '../support/with-members.js';

/** A log whose reads of what it holds now are answered when they are told to be. */
async function rig(t: Test) {
  const time = new ManualTime();
  const { log } = await openRig(t);
  const deps = { log, clock: time };
  const add = () =>
    addApiUser(deps, testContext(companyId), { companyId, name: 'A user', roles: ['HRIntegration'] });
  await configureCompany(deps, testContext(companyId), { companyId, changes: { name: 'A company' } });
  await add();
  let holds = false;
  const held: (() => void)[] = [];
  const readStream: EventReader['readStream'] = async function* (...request) {
    const events: RecordedEvent[] = [];
    for await (const event of log.readStream(...request)) events.push(event);
    if (holds) await new Promise<void>((answer) => held.push(answer));
    yield* events;
  };
  const slow = withMembers(log, { readStream });
  const logger = createLogger('silent');
  const knowledge = new RevocationCache({ log: slow, clock: time, every: time.every, logger });
  await knowledge.start();
  t.teardown(() => knowledge.stop());
  return {
    time,
    knowledge,
    held,
    add,
    revoke: (userId: number) => revokeApiUser(deps, testContext(companyId), userId),
    /** From now on reads wait, or those that wait and all behind them are answered. */
    hold: (yes: boolean) => {
      holds = yes;
      if (!yes) for (const answer of held.splice(0)) answer();
    },
    /** So many reads wait for their answers. */
    reads: async (count: number) => {
      while (held.length < count) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

t.test('a start reads on behind the snapshot that the one before has written', async (t) => {
  const on = await openRig(t);
  await addUsers(on, 1, 1_001);
  const time = new ManualTime();
  const begun = async () => {
    let read = 0;
    const log = withMembers(on.log, {
      readStream: async function* (...request) {
        for await (const event of on.log.readStream(...request)) {
          read += 1;
          yield event;
        }
      },
    });
    const { snapshots } = on;
    const cache = new RevocationCache({
      log,
      snapshots,
      clock: time,
      every: time.every,
      logger: createLogger('silent'),
    });
    await cache.start();
    cache.stop();
    return { read, users: cache.current()?.users };
  };
  t.equal((await begun()).read, 1_001);
  await until('the snapshot is written', () => on.snapshots.newest(apiUsersStream, companyStateVersion));
  await revokeApiUser(on, testContext(companyId), 7);
  const { read, users } = await begun();
  t.equal(read, 2);
  t.same([users?.get(7)?.status, users?.get(8)?.status], ['revoked', 'active']);
});

t.test(
  'a first read that takes longer than a read may is shared by those that begin meanwhile',
  async (t) => {
    const on = await openRig(t);
    await addUsers(on, 1, 3);
    const time = new ManualTime();
    const held: (() => void)[] = [];
    const log = withMembers(on.log, {
      readStream: async function* (stream, options) {
        if ((options?.from ?? 0) === 0) await new Promise<void>((answer) => held.push(answer));
        yield* on.log.readStream(stream, options);
      },
    });
    const logger = createLogger('silent');
    const cache = new RevocationCache({ log, clock: time, every: time.every, logger });
    t.teardown(() => cache.stop());
    const started = cache.start();
    await until('it reads', () => Promise.resolve(held.length > 0 ? true : undefined));
    await time.tick(4_000);
    await started;
    t.equal(cache.current(), undefined, 'too late');
    await time.tick(10_000);
    t.equal(held.length, 1, 'nobody else has begun');
    held[0]?.();
    await time.tick(1_000);
    await until('it is known', () => Promise.resolve(cache.current()));
    t.equal(cache.current()?.users.has(3), true);
  },
);

t.test('a first read that hangs is given up after half a minute', async (t) => {
  const on = await openRig(t);
  await addUsers(on, 1, 3);
  const time = new ManualTime();
  let reads = 0;
  const log = withMembers(on.log, {
    readStream: async function* (stream, options) {
      if ((reads += 1) === 1) await new Promise<void>(() => undefined);
      yield* on.log.readStream(stream, options);
    },
  });
  const logger = createLogger('silent');
  const cache = new RevocationCache({ log, clock: time, every: time.every, logger });
  t.teardown(() => cache.stop());
  const started = cache.start();
  await until('it reads', () => Promise.resolve(reads > 0 ? true : undefined));
  await time.tick(4_000);
  await started;
  await time.tick(30_000);
  t.equal((await until('it is known', () => Promise.resolve(cache.current()))).users.has(3), true);
});

t.test('a store of snapshots that hangs costs a second, and no more', async (t) => {
  const on = await openRig(t);
  await addUsers(on, 1, 1);
  const time = new ManualTime();
  let looks = 0;
  const newest = () => {
    looks += 1;
    return new Promise<undefined>(() => undefined);
  };
  const cache = new RevocationCache({
    log: on.log,
    snapshots: withMembers(on.snapshots, { newest }),
    clock: time,
    every: time.every,
    logger: createLogger('silent'),
  });
  t.teardown(() => cache.stop());
  const started = cache.start();
  await until('the snapshot is looked for', () => Promise.resolve(looks > 0 ? looks : undefined));
  await time.tick(1_000);
  await started;
  t.ok(cache.current()?.users.has(1));
});

t.test('a process that stood still while a call waited looks again', async (t) => {
  const { time, knowledge, hold, reads } = await rig(t);
  hold(true);
  time.pass(6_000);
  const call = knowledge.usersWith(1);
  await reads(1);
  time.pass(7_000);
  await time.tick(100);
  hold(false);
  t.ok((await call)?.users.has(1));
});

t.test('a call waits twelve seconds of a process that runs, and no longer', async (t) => {
  const { time, knowledge, hold, reads } = await rig(t);
  knowledge.stop();
  hold(true);
  time.pass(6_000);
  const call = knowledge.usersWith(1).then(
    () => 'answered',
    (error: unknown) => String(error),
  );
  await reads(1);
  await time.tick(11_900);
  time.pass(60_000);
  t.equal(await Promise.race([call, Promise.resolve('waits')]), 'waits');
  await time.tick(100);
  t.match(await call, /does not answer in time/);
});

t.test('no call waits for a log that has been away for longer than an election takes', async (t) => {
  const { time, knowledge, add, held, hold } = await rig(t);
  hold(true);
  await time.tick(15_000);
  const looks = held.length;
  t.equal(await knowledge.usersWith(1), undefined);
  t.equal(held.length, looks);
  hold(false);
  await time.tick(1_000);
  t.ok((await knowledge.usersWith(1))?.users.has(1));
  await add();
  t.ok((await knowledge.usersWith(2))?.users.has(2), 'and from then on calls read it again');
});

t.test('an answer that comes late brings nobody back who was revoked since', async (t) => {
  const { time, knowledge, held, hold, reads, revoke } = await rig(t);
  const status = () => knowledge.current()?.users.get(1)?.status;
  hold(true);
  await time.tick(1_000);
  await reads(1);
  const late = held.splice(0);
  hold(false);
  await revoke(1);
  await time.tick(1_000);
  await until('it is read', () => Promise.resolve(status() === 'revoked' || undefined));
  for (const answer of late) answer();
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  t.equal(status(), 'revoked');
});

t.test('a call whose look hangs is served by one that the timer began', async (t) => {
  const { time, knowledge, held, hold, reads } = await rig(t);
  hold(true);
  time.pass(6_000);
  const call = knowledge.usersWith(1);
  await reads(1);
  const hangs = held.splice(0);
  hold(false);
  await time.tick(12_000);
  t.ok((await call)?.users.has(1));
  t.equal(hangs.length, 1);
});

t.test('a look that had begun before the call is not the last word', async (t) => {
  t.test('on a user who was made since', async (t) => {
    const { time, knowledge, add, hold, reads } = await rig(t);
    hold(true);
    time.pass(6_000);
    const first = knowledge.usersWith(1);
    await reads(1);
    await add();
    const second = knowledge.usersWith(2);
    hold(false);
    t.ok((await first)?.users.has(1));
    t.ok((await second)?.users.has(2));
  });

  t.test('where it fails', async (t) => {
    const { time, knowledge, held, hold, reads } = await rig(t);
    knowledge.stop();
    hold(true);
    time.pass(6_000);
    const first = knowledge.usersWith(1).catch((error: unknown) => String(error));
    await reads(1);
    await time.tick(11_900);
    const second = knowledge.usersWith(1);
    held.splice(0);
    hold(false);
    await time.tick(100);
    t.match(await first, /does not answer in time/);
    t.ok((await second)?.users.has(1));
  });
});

t.test('many calls at once share a look', async (t) => {
  const { time, knowledge, held, hold, reads } = await rig(t);
  hold(true);
  time.pass(6_000);
  const all = Array.from({ length: 32 }, () => knowledge.usersWith(1));
  await reads(1);
  t.equal(held.length, 1);
  hold(false);
  for (const users of await Promise.all(all)) t.ok(users?.users.has(1));
  t.equal(held.length, 0);
});

t.test('users are as old as the beginning of the read that found them', async (t) => {
  const { time, knowledge, hold, reads, revoke } = await rig(t);
  hold(true);
  await time.tick(1_000);
  await reads(1);
  knowledge.stop();
  await Promise.all([revoke(1), time.tick(3_000)]);
  hold(false);
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  await time.tick(2_000);
  t.equal(knowledge.current()?.users.get(1)?.status, 'active');
  time.pass(1);
  t.equal(knowledge.current(), undefined);
});
