import { getPriority, platform, setPriority } from 'node:os';

/** Added by `nice`. More would let a thread that holds the store's lock wait for long. */
const steps = 5;
const LOWEST = 19;

/** Lowers this thread's priority relative to the process, as raising it needs a privilege. Linux only: it is per thread. */
export function lowerPriority(): void {
  if (platform() !== 'linux') return;
  try {
    setPriority(Math.min(LOWEST, getPriority() + steps));
  } catch {
    // A sandbox may refuse it; then all threads have the same priority.
  }
}
