import { LogWentBack, type UnprovenReason } from '@rollcall/application';
import type { UnsettledReason } from '@rollcall/domain';
import type { Damage } from '../host/guarded-log.js';
import type { ObserveEventLog } from '../host/metrics/measured-event-log.js';
import type { LostLog } from '../host/watched-end.js';
import type { GivenTask, ImportThreadReply, ThreadFailure } from './thread-tasks.js';

/** Who is told what the threads meet. */
export interface PoolWatch {
  /** Is told the calls of the event log that the threads make, with stores of their own. */
  readonly observe?: ObserveEventLog;
  /** Is told that a thread could not do its task because a store, or the folder where large data waits, is away or full. */
  readonly onUnavailable?: () => void;
  /** Is told how many employees the fast reader left to the rules in full. */
  readonly onUnsettled?: (reason: UnsettledReason, count: number) => void;
  /** Is told how many queued bodies were read once more, because acceptance had left no proof that settled them. */
  readonly onUnproven?: (reason: UnprovenReason, count: number) => void;
  /** Is told how many state snapshots were of no use, so that more was folded. */
  readonly onUnusable?: (count: number) => void;
  /** Told to the threads, and of what they meet. */
  readonly damage?: Damage;
  /** Is told that the log of a thread is not the one that it knew. */
  readonly lost?: LostLog;
}

/** Tells what a thread has met since its task before. */
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

/** An error, whichever thread it comes from. */
type Failed = Pick<ThreadFailure, 'message'> & {
  readonly name: string | undefined;
  readonly missing?: ThreadFailure['missing'];
};

/** Tells what an error says of the stores. */
export function passOnFailure({ onUnavailable, lost }: PoolWatch, { name, message, missing }: Failed): void {
  if (name === 'EventLogUnavailable') onUnavailable?.();
  if (name === 'LogWentBack' && lost) lost.error ??= new LogWentBack(message, { missing });
}

/** The streams that cannot be used, as a task is told. */
export const damagedIn = ({ damage }: PoolWatch): GivenTask['damaged'] => [...(damage?.streams ?? [])];
