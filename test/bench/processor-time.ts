import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** The kernel counts in hundredths of a second. */
const tickMs = 10;

function usedTicks(path: string): number {
  const stat = readFileSync(path, 'latin1');
  // The name in brackets may hold anything: what is counted from stands behind it.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return Number(user) + Number(system);
}

/** Milliseconds that these processes have used of the processors so far, all their threads together. */
export const processorTime = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + usedTicks(`/proc/${pid}/stat`), 0) * tickMs;

/** The same of the main thread alone. */
export const mainThreadTime = (pid: number): number => usedTicks(`/proc/${pid}/task/${pid}/stat`) * tickMs;

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
