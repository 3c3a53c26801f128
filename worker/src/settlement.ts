import { growingDelay } from '@rollcall/application';

/** Why a message is settled: also what concerns no import. An import's own result is `RunResult`. */
export type DeliveryEnd =
  | 'idle'
  /** Another run of the company polls once more. */
  | 'joined'
  | 'unknown-company'
  | 'malformed'
  /** The oldest import failed for a reason of its own. */
  | 'attempt-failed'
  | 'outage'
  /** The log ends before the message's revision. */
  | 'behind'
  | 'corrupt'
  | 'error'
  | 'stopped';

export type Settlement =
  { readonly call: 'ack' } | { readonly call: 'term' } | { readonly call: 'nak'; readonly delayMs: number };

export const second = 1_000;
export const minute = 60 * second;

export const ack: Settlement = { call: 'ack' };
const term: Settlement = { call: 'term' };
export const nak = (delayMs: number): Settlement => ({ call: 'nak', delayMs });

/** After that the message belongs to another log, as after a restore. */
const maxLaggingAttempts = 7;

const settlements: Readonly<Record<DeliveryEnd, (attempt: number) => Settlement>> = {
  idle: () => ack,
  joined: () => ack,
  'unknown-company': () => term,
  malformed: () => term,
  'attempt-failed': (attempt) => nak(growingDelay(attempt, second, minute)),
  outage: (attempt) => nak(growingDelay(attempt, second, minute / 2)),
  behind: (attempt) => (attempt < maxLaggingAttempts ? nak(growingDelay(attempt, second, minute / 2)) : ack),
  error: (attempt) => nak(growingDelay(attempt, 5 * second, 5 * minute)),
  corrupt: () => nak(5 * minute),
  stopped: () => nak(0),
};

export const settlementOf = (end: DeliveryEnd, attempt: number): Settlement => settlements[end](attempt);
