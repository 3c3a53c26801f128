import type { ConsumerCounts } from '../consumer.js';

export interface InvitationCounts extends ConsumerCounts {
  malformed: number;
  sent: number;
  deferred: number;
  failed: number;
  cancelled: number;
  nothing: number;
  /** Unused claims: the company was held, the employee left, or time ran out. */
  withheld: number;
  paced: number;
  /** Delayed until the read models have the employee. */
  behind: number;
  outages: number;
  /** Runs that ended at an unreadable stream. */
  corrupt: number;
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
