/** What a worker process has seen since its start. */
export interface WorkerCounts {
  /** Deliveries taken from the queue. */
  deliveries: number;
  /** Of these: not the first of their message. */
  redeliveries: number;
  /** Messages that were none, and went. */
  malformed: number;
  /** Messages for companies that are not in the log, and went. */
  unknownCompanies: number;
  /** Messages for a company that was just being run here. */
  joined: number;
  /** Imports that have their terminal event, by this process or by somebody else meanwhile. */
  readonly imports: { done: number; failed: number; elsewhere: number };
  attemptsFailed: number;
  /** Imports that have ended their process before, and waited to be run alone. */
  suspects: number;
  /** Runs that a server's absence ended. */
  outages: number;
  /** Runs that ended at a company's stream that cannot be read. */
  corrupt: number;
  /** Runs that ended in an error that nobody foresaw. */
  errors: number;
  /** Settlements that did not reach the queue: the message comes again. */
  unsettled: number;
  /** Times the queue was away. */
  queueLost: number;
  /** Messages that the due-work loop sent again. */
  sentAgain: number;
}

export const newWorkerCounts = (): WorkerCounts => ({
  deliveries: 0,
  redeliveries: 0,
  malformed: 0,
  unknownCompanies: 0,
  joined: 0,
  imports: { done: 0, failed: 0, elsewhere: 0 },
  attemptsFailed: 0,
  suspects: 0,
  outages: 0,
  corrupt: 0,
  errors: 0,
  unsettled: 0,
  queueLost: 0,
  sentAgain: 0,
});
