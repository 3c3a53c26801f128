import { decideAndAppend, EventLogUnavailable, readsWithRetry, type EventLog } from '@rollcall/application';
import tap, { type Test } from 'tap';
import { appended, clock, revoke, scriptedLog } from './decide-and-append.support.js';

const CALLS = 50;
/** By the pauses of a call, 100 ms to 2 s and half as much again, within the 20 s that it has. */
const MOST_KNOCKS = 20;

/** A log without a leader until `downMs` have passed; time passes while a call sleeps. */
async function electing(t: Test, downMs: number) {
  const scripted = await scriptedLog(t);
  const at = { now: 0, knocks: 0 };
  const knock = async (): Promise<void> => {
    at.knocks += 1;
    if (at.now < downMs) throw new EventLogUnavailable('no leader', { isTransient: true });
  };
  const time = {
    sleep: (ms: number) =>
      new Promise<void>((resolve) => {
        setImmediate(() => resolve(void (at.now += ms)));
      }),
    timer: () => at.now,
  };
  const log: EventLog = {
    ...scripted,
    append: async (...given) => {
      await knock();
      return scripted.append(...given);
    },
    readStream: async function* (...given) {
      await knock();
      yield* scripted.readStream(...given);
    },
    readLast: async (stream) => {
      await knock();
      return scripted.readLast(stream);
    },
  };
  return { log: readsWithRetry(log, time), deps: { clock, ...time }, at };
}

const calls = Array.from({ length: CALLS }, (_, n) => revoke(`${n}`, { stream: `apitokens-${n}` }));

tap.test('calls that wait for an election do not each knock', async (t) => {
  const { log, deps, at } = await electing(t, 8_000);
  const made = calls.map((call) => decideAndAppend({ log, ...deps }, call));
  const reads = calls.map(({ stream }) => log.readLast(stream));
  for (const outcome of await Promise.all(made)) appended(outcome);
  await Promise.all(reads);
  const [before, behind] = [2 * CALLS, 3 * CALLS];
  t.ok(at.knocks <= before + behind + MOST_KNOCKS, `${at.knocks} calls of the log`);
});

tap.test(
  'an outage that lasts ends every call that waits, and a call of its own meets the next log',
  async (t) => {
    const { log, deps, at } = await electing(t, 60_000);
    const made = calls.map((call) => decideAndAppend({ log, ...deps }, call));
    for (const { status } of await Promise.allSettled(made)) t.equal(status, 'rejected');
    t.ok(at.knocks <= CALLS + MOST_KNOCKS, `${at.knocks} calls of the log`);
    at.now = 60_000;
    appended(await decideAndAppend({ log, ...deps }, revoke('again', { stream: 'apitokens-0' })));
  },
);

tap.test('where the call that knocks ends otherwise another one knocks', async (t) => {
  const { log, deps, at } = await electing(t, 8_000);
  let tries = 0;
  const damaged: EventLog = {
    ...log,
    readLast: async (stream) => {
      if (stream === 'damaged' && ++tries === 2) throw new Error('damaged');
      if (at.now < 8_000) throw new EventLogUnavailable('no leader', { isTransient: true });
      return log.readLast(stream);
    },
  };
  const patient = readsWithRetry(damaged, deps);
  const [knocks, waits] = [patient.readLast('damaged'), patient.readLast('api-users')];
  await t.rejects(knocks, { message: 'damaged' });
  t.equal(await waits, undefined);
});

tap.test('a read that has gone on for longer than an election may last is continued after one', async (t) => {
  const { log: whole, deps, at } = await electing(t, 0);
  for (const user of ['a', 'b', 'c'])
    appended(await decideAndAppend({ log: whole, ...deps }, revoke(user, { stream: 'apitokens-1' })));
  let elections = 0;
  const interrupted: EventLog = {
    ...whole,
    readStream: async function* (...given) {
      for await (const event of whole.readStream(...given)) {
        yield event;
        if (++elections < 3) throw new EventLogUnavailable('no leader', { isTransient: true });
      }
    },
  };
  const revisions: number[] = [];
  for await (const { revision } of readsWithRetry(interrupted, deps).readStream('apitokens-1')) {
    revisions.push(revision);
    // As a download over a slow line.
    at.now += 25_000;
  }
  t.strictSame(revisions, [0, 1, 2]);
});
