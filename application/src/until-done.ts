import { FailureReport, type FailureReportOptions } from './failure-report.js';
import { growingDelay, sleep as sleepByTimer, type Sleep } from './timers.js';

const FIRST_DELAY_MS = 100;
const LAST_DELAY_MS = 10_000;

export interface UntilDoneOptions extends FailureReportOptions {
  readonly signal: AbortSignal;
  readonly sleep?: Sleep | undefined;
}

/** Retries with growing delays until it succeeds or the signal aborts; `moved` reports progress and resets the delay. */
export async function untilDone(
  { signal, sleep = sleepByTimer, ...options }: UntilDoneOptions,
  work: (moved: () => void) => Promise<void>,
): Promise<void> {
  const report = new FailureReport(options);
  let failures = 0;
  const moved = (): void => {
    failures = 0;
    report.succeeded();
  };
  while (!signal.aborted) {
    try {
      return await work(moved);
    } catch (error) {
      const delay = growingDelay((failures += 1), FIRST_DELAY_MS, LAST_DELAY_MS);
      report.failed(error, { delay });
      await sleep(delay, signal);
    }
  }
}
