import { getPriority, platform, setPriority } from 'node:os';

/** What `nice` adds. More would let a thread that holds the store's lock wait for long. */
const steps = 5;
const LOWEST = 19;

/**
 * Lets this thread wait behind those that answer calls. Counted from where the process stands, which may be low already: only a
 * privileged one may go up. Linux counts by thread; elsewhere it would be the whole process, and nothing is done.
 */
export function goBehindCalls(): void {
  if (platform() !== 'linux') return;
  try {
    setPriority(Math.min(LOWEST, getPriority() + steps));
  } catch {
    // A sandbox may refuse it: then all threads take turns alike.
  }
}
