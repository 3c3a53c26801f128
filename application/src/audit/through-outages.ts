import { isOutage, problemOf } from '../ports/problems.js';
import { growingDelay, sleep as sleepByTimer, type Sleep } from '../timers.js';

const maxOutageMs = 20_000;
/** Of an attempt, towards the limit: a hung server fails one within 5 s, and a longer one has got on. */
const maxAttemptMs = 5_000;

/** Of the process. A command, for which a person waits, prints the line. */
export const outageNotice: { say: (line: string) => void } = { say: () => undefined };

/** Repeats the work after outages, with growing delays; `moved` resets them. Throws after about 20 s. */
export async function throughOutages<T>(
  work: (moved: () => void) => Promise<T>,
  sleep: Sleep = sleepByTimer,
  now = () => performance.now(),
): Promise<T> {
  const { signal } = new AbortController();
  let [failures, waitedMs] = [0, 0];
  for (;;) {
    const begun = now();
    try {
      return await work(() => (failures = waitedMs = 0));
    } catch (error) {
      waitedMs += Math.min(now() - begun, maxAttemptMs);
      if (!isOutage(error) || waitedMs >= maxOutageMs) throw error;
      if (failures === 0) outageNotice.say(`${problemOf(error)}. Trying again.`);
      const delay = growingDelay((failures += 1));
      waitedMs += delay;
      await sleep(delay, signal);
    }
  }
}
