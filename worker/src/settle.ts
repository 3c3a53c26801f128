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

const settlements: Readonly<Record<RunEnd, (attempt: number) => Settlement>> = {
  idle: () => ack,
  joined: () => ack,
  'unknown-company': () => term,
  malformed: () => term,
  'attempt-failed': (attempt) => nak(growingDelay(attempt, second, minute)),
  outage: (attempt) => nak(growingDelay(attempt, second, minute / 2)),
  error: (attempt) => nak(growingDelay(attempt, 5 * second, 5 * minute)),
  corrupt: () => nak(5 * minute),
  stopped: () => nak(0),
};

/** How the worker settles a delivery; `attempt` is the delivery's, 1 for the first. */
export const settlementOf = (end: RunEnd, attempt: number): Settlement => settlements[end](attempt);
