import t from 'tap';
import { EventLogUnavailable } from '../ports/event-log.js';
import { outageNotice, throughOutages } from './through-outages.js';

/** Work whose attempts last `attemptMs` each and fail, the first ones; the time that it takes, and what is printed. */
async function failing(attempts: readonly number[], lastsMs = 0) {
  let [now, attempt] = [0, 0];
  const lines: string[] = [];
  outageNotice.say = (line) => void lines.push(line);
  const work = async (): Promise<string> => {
    const ms = attempts[(attempt += 1) - 1];
    now += ms ?? lastsMs;
    if (ms === undefined && lastsMs === 0) return 'done';
    throw new EventLogUnavailable('no answer');
  };
  const sleep = async (ms: number): Promise<void> => void (now += ms);
  const ended = await throughOutages(work, sleep, () => now).catch((error: unknown) => error);
  return { ended, lines, ms: now };
}

t.test('a log that hangs is given up after some 25 s, and its first failure is reported', async (t) => {
  const { ended, lines, ms } = await failing([10_000], 5_000);
  t.match(ended, EventLogUnavailable);
  t.same(lines, ['no answer. Trying again.']);
  t.ok(ms >= 20_000 && ms <= 26_000, `after ${ms} ms`);
});

t.test('one that is away at once is waited for just as long', async (t) => {
  const { ended, ms } = await failing(Array.from({ length: 20 }, () => 0));
  t.match(ended, EventLogUnavailable);
  t.equal(ms, 22_700);
});

t.test('attempts that have got on for a while before they fail do not end it', async (t) => {
  t.match(await failing([60_000, 60_000, 60_000]), {
    ended: 'done',
    lines: { length: 1 },
  });
});

t.test('any other error is thrown, without a line', async (t) => {
  outageNotice.say = () => t.fail('no outage');
  await t.rejects(
    throughOutages(() => Promise.reject(new RangeError('a bug'))),
    RangeError,
  );
});
