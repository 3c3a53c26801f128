import { framesOf, isOutage, LogCorrupt, problemOf, type ProcessLogger } from '@rollcall/application';

export interface FailureCounts {
  outage: number;
  /** Runs that ended at an unreadable stream. */
  corrupt: number;
  error: number;
}

/** Counts and logs why something waits: `ids` without personal values, `what` as in `an invitation waits`. */
export function failureOf(
  { counts, logger }: { readonly counts: FailureCounts; readonly logger: ProcessLogger },
  { what, ids }: { readonly what: string; readonly ids: object },
  error: unknown,
): 'outage' | 'corrupt' | 'error' {
  const details = { ...ids, problem: problemOf(error) };
  if (isOutage(error)) {
    counts.outage += 1;
    logger.warn(details, `${what}: a server is away`);
    return 'outage';
  }
  if (error instanceof LogCorrupt) {
    counts.corrupt += 1;
    logger.error(details, `${what}: a stream cannot be read`);
    return 'corrupt';
  }
  counts.error += 1;
  logger.error({ ...details, frames: framesOf(error) }, `${what} after an error`);
  return 'error';
}

/** Events by their label in the metric, in camel case, besides what other metrics show. */
export interface WorkerCounts extends FailureCounts {
  deliveries: number;
  redeliveries: number;
  /** Imports with a terminal event, by this process or another. */
  readonly imports: { done: number; failed: number; held: number; elsewhere: number };
  /** Invalid messages, dropped. */
  malformed: number;
  unknownCompany: number;
  /** Messages for a company that this process was running. */
  joined: number;
  attemptFailed: number;
  /** Imports that crashed a process before, and waited to run alone. */
  runAlone: number;
  /** Settlements that were lost: the message is redelivered. */
  unsettled: number;
  queueLost: number;
  sentAgain: number;
}

export const newWorkerCounts = (): WorkerCounts => ({
  deliveries: 0,
  redeliveries: 0,
  imports: { done: 0, failed: 0, held: 0, elsewhere: 0 },
  malformed: 0,
  unknownCompany: 0,
  joined: 0,
  attemptFailed: 0,
  runAlone: 0,
  outage: 0,
  corrupt: 0,
  error: 0,
  unsettled: 0,
  queueLost: 0,
  sentAgain: 0,
});

export const labelOf = (count: string): string =>
  count.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
