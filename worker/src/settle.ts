import { growingDelay } from '@rollcall/application';

/** What came of a delivery. */
export type RunEnd =
  /** Nothing is pending any more. */
  | 'idle'
  /** A run for the same company is under way here, and will look once more. */
  | 'joined'
  | 'unknown-company'
  | 'malformed'
  /** The oldest import failed for a reason that lies in it. */
  | 'attempt-failed'
  /** A server is away. */
  | 'outage'
  /** The log that was read does not go so far as the message says. */
  | 'behind'
  /** The company's stream cannot be read. */
  | 'corrupt'
  /** An error that nobody foresaw. */
  | 'error'
  /** The process ends. */
  | 'stopped';

/** What the queue is told. */
export type Settlement =
  { readonly call: 'ack' } | { readonly call: 'term' } | { readonly call: 'nak'; readonly delayMs: number };

const second = 1_000;
const minute = 60 * second;

const ack: Settlement = { call: 'ack' };
const term: Settlement = { call: 'term' };
const nak = (delayMs: number): Settlement => ({ call: 'nak', delayMs });

/** Then the message speaks of another log than this one, as after the restore of an older copy. */
const MOST_BEHIND = 7;

const settlements: Readonly<Record<RunEnd, (attempt: number) => Settlement>> = {
  idle: () => ack,
  joined: () => ack,
  'unknown-company': () => term,
  malformed: () => term,
  'attempt-failed': (attempt) => nak(growingDelay(attempt, second, minute)),
  outage: (attempt) => nak(growingDelay(attempt, second, minute / 2)),
  behind: (attempt) => (attempt < MOST_BEHIND ? nak(growingDelay(attempt, second, minute / 2)) : ack),
  error: (attempt) => nak(growingDelay(attempt, 5 * second, 5 * minute)),
  corrupt: () => nak(5 * minute),
  stopped: () => nak(0),
};

/** How the worker settles a delivery; `attempt` is the delivery's, 1 for the first. */
export const settlementOf = (end: RunEnd, attempt: number): Settlement => settlements[end](attempt);
