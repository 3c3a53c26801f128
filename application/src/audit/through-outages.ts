import { isOutage } from '../ports/problems.js';
import { growingDelay, sleep as sleepByTimer, type Sleep } from '../timers.js';

const FIRST_DELAY_MS = 100;
const LAST_DELAY_MS = 10_000;
/** With the pauses between them about 20 s. */
const maxConsecutiveOutages = 8;

/** Repeats the work after outages, with growing delays; `moved` resets the count. After too many in a row, throws. */
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
      if (!isOutage(error) || failures > maxConsecutiveOutages) throw error;
      await sleep(growingDelay(failures, FIRST_DELAY_MS, LAST_DELAY_MS), signal);
    }
  }
}
