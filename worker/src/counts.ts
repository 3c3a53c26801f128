export interface WorkerCounts {
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
  outages: number;
  /** Runs that ended at an unreadable stream of a company. */
  corrupt: number;
  errors: number;
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
