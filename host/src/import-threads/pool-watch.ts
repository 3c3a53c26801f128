import { LogWentBack, type UnprovenReason } from '@rollcall/application';
import type { UnsettledReason } from '@rollcall/employee-lists';
import type { Damage, LostLog } from '../event-log/guarded-log.js';
import type { ObserveEventLog } from '../event-log/measured-event-log.js';
import type { GivenTask, ImportThreadReply, ThreadFailure } from './thread-tasks.js';

export interface PoolWatch {
  /** The threads' calls of the event log. */
  readonly observe?: ObserveEventLog;
  /** A task failed because a store, or the folder for large data, is away or full. */
  readonly onUnavailable?: () => void;
  /** Employees that the fast reader left to the full rules. */
  readonly onUnsettled?: (reason: UnsettledReason, count: number) => void;
  /** Queued bodies that were read again for want of a valid proof. */
  readonly onUnproven?: (reason: UnprovenReason, count: number) => void;
  /** Unusable state snapshots: more was folded. */
  readonly onUnusable?: (count: number) => void;
  readonly damage?: Damage;
  /** Set where a thread's log went back. */
  readonly lost?: LostLog;
}

export function passOn(watch: PoolWatch, reply: ImportThreadReply): void {
  for (const call of reply.logCalls) watch.observe?.(...call);
  for (const stream of reply.met) watch.damage?.suspect(stream);
  passOnCounts(watch, reply);
  if (reply.failure !== undefined) passOnFailure(watch, reply.failure);
}

function passOnCounts(watch: PoolWatch, { unsettled, unproven, unusable }: ImportThreadReply): void {
  for (const [reason, count] of unsettled) watch.onUnsettled?.(reason, count);
  for (const [reason, count] of unproven) watch.onUnproven?.(reason, count);
  if (unusable > 0) watch.onUnusable?.(unusable);
}

type Failed = Pick<ThreadFailure, 'message'> & {
  readonly name: string | undefined;
  readonly missing?: ThreadFailure['missing'];
};

export function passOnFailure({ onUnavailable, lost }: PoolWatch, { name, message, missing }: Failed): void {
  if (name === 'EventLogUnavailable') onUnavailable?.();
  if (name === 'LogWentBack' && lost) lost.error ??= new LogWentBack(message, { missing });
}

export const damagedIn = ({ damage }: PoolWatch): GivenTask['damaged'] => [...(damage?.streams ?? [])];
