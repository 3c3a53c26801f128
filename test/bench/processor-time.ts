import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** The kernel counts in hundredths of a second. */
const tickMs = 10;

/** Milliseconds that these processes have used of the processors so far, all their threads together. */
export function processorTime(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in brackets may hold anything: what is counted from stands behind it.
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    return Number(user) + Number(system);
  });
  return ticks.reduce((sum, each) => sum + each, 0) * tickMs;
}

const lookMs = 100;
const quietLooks = 5;

/** Waits until the processes have nothing to do for half a second; the time that they had used when that began. */
export async function processorTimeAtRest(pids: readonly number[]): Promise<number> {
  let begun = processorTime(pids);
  for (let last = begun, quiet = 0; quiet < quietLooks; quiet++) {
    await wait(lookMs);
    const now = processorTime(pids);
    if (now - last > tickMs * pids.length) {
      begun = now;
      quiet = -1;
    }
    last = now;
  }
  return begun;
}
