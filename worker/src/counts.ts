import { framesOf, isOutage, LogCorrupt, problemOf, type ProcessLogger } from '@rollcall/application';

export interface FailureCounts {
  outages: number;
  /** Runs that ended at an unreadable stream. */
  corrupt: number;
  errors: number;
}

/** Counts and logs why something waits: `ids` without personal values, `what` as in `an invitation waits`. */
export function failureOf(
  { counts, logger }: { readonly counts: FailureCounts; readonly logger: ProcessLogger },
  { what, ids }: { readonly what: string; readonly ids: object },
  error: unknown,
): 'outage' | 'corrupt' | 'error' {
  const details = { ...ids, problem: problemOf(error) };
  if (isOutage(error)) {
    counts.outages += 1;
    logger.warn(details, `${what}: a server is away`);
    return 'outage';
  }
  if (error instanceof LogCorrupt) {
    counts.corrupt += 1;
    logger.error(details, `${what}: a stream cannot be read`);
    return 'corrupt';
  }
  counts.errors += 1;
  logger.error({ ...details, frames: framesOf(error) }, `${what} after an error`);
  return 'error';
}

export interface WorkerCounts extends FailureCounts {
  deliveries: number;
  redeliveries: number;
  /** Invalid messages, dropped. */
  malformed: number;
  unknownCompanies: number;
  /** Messages for a company that this process was running. */
  joined: number;
  /** Imports with a terminal event, by this process or another. */
  readonly imports: { done: number; failed: number; held: number; elsewhere: number };
  attemptsFailed: number;
  /** Imports that crashed a process before, and waited to run alone. */
  suspects: number;
  /** Settlements that were lost: the message is redelivered. */
  unsettled: number;
  queueLost: number;
  sentAgain: number;
}

export const newWorkerCounts = (): WorkerCounts => ({
  deliveries: 0,
  redeliveries: 0,
  malformed: 0,
  unknownCompanies: 0,
  joined: 0,
  imports: { done: 0, failed: 0, held: 0, elsewhere: 0 },
  attemptsFailed: 0,
  suspects: 0,
  outages: 0,
  corrupt: 0,
  errors: 0,
  unsettled: 0,
  queueLost: 0,
  sentAgain: 0,
});
