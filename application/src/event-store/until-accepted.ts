import { isOutage } from '../ports/problems.js';
import { growingDelay } from '../timers.js';

/** For a fact that must be recorded: repeats the append after outages, with growing delays, until the log accepts it. */
export async function untilAccepted(
  append: () => Promise<unknown>,
  { wait }: { readonly wait: (ms: number) => Promise<void> },
): Promise<void> {
  for (let failures = 1; ; failures++) {
    try {
      await append();
      return;
    } catch (error) {
      if (!isOutage(error)) throw error;
      await wait(growingDelay(failures, 250, 5_000));
    }
  }
}
