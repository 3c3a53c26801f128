import type { ConsumerCounts } from '../consumer.js';

/** What a process has seen of invitations since its start. */
export interface InvitationCounts extends ConsumerCounts {
  /** Messages that were none, and went. */
  malformed: number;
  /** Mails, by what came of them. */
  sent: number;
  deferred: number;
  failed: number;
  /** Closed because the employee has left after something had happened to the invitation. */
  cancelled: number;
  /** Deliveries for which there was nothing to do. */
  nothing: number;
  /** Claims that were not used: the company was held, the employee left or the time ran out in between. */
  withheld: number;
  /** Put off because the allowed rate was reached. */
  paced: number;
  /** Put off because the read models did not have the employee yet. */
  behind: number;
  /** Runs that a server's absence ended. */
  outages: number;
  /** Runs that ended at a stream that cannot be read. */
  corrupt: number;
  /** Runs that ended in an error that nobody foresaw. */
  errors: number;
}

export const newInvitationCounts = (): InvitationCounts => ({
  deliveries: 0,
  redeliveries: 0,
  unsettled: 0,
  queueLost: 0,
  malformed: 0,
  sent: 0,
  deferred: 0,
  failed: 0,
  cancelled: 0,
  nothing: 0,
  withheld: 0,
  paced: 0,
  behind: 0,
  outages: 0,
  corrupt: 0,
  errors: 0,
});
