import { isOutage } from '../ports/problems.js';
import { growingDelay, sleep as sleepByTimer, type Sleep } from '../timers.js';

const FIRST_DELAY_MS = 100;
const LAST_DELAY_MS = 10_000;
/** With the pauses in between about 20 s, and what the calls take. */
const MOST_IN_A_ROW = 8;

/**
 * Does the work, and again after an outage, with growing pauses; the work says by `moved` that it has come further since. The
 * outage itself where so many came in a row.
 */
export async function throughOutages<T>(
  work: (moved: () => void) => Promise<T>,
  sleep: Sleep = sleepByTimer,
): Promise<T> {
  const { signal } = new AbortController();
  let failures = 0;
  for (;;) {
    try {
      return await work(() => (failures = 0));
    } catch (error) {
      failures += 1;
      if (!isOutage(error) || failures > MOST_IN_A_ROW) throw error;
      await sleep(growingDelay(failures, FIRST_DELAY_MS, LAST_DELAY_MS), signal);
    }
  }
}
