import { readFileSync } from 'node:fs';

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
