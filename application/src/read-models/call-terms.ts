import type { StoredDocument } from '../ports/read-models.js';
import { callRowIn } from './call-row.js';

const DAY_MS = 24 * 60 * 60_000;

/** Wrong calls come without limit, and nothing follows from them. */
export const refusedTermMs = 30 * DAY_MS;

/** How long an ended call is shown (ms). The log keeps all. */
export type CallTerm = number;

/** `text` is a number of days, as `400d`, or `all`. */
export const callTerm = (text: string): CallTerm =>
  text === 'all' ? Infinity : Number(text.slice(0, -1)) * DAY_MS;

/** When an operation began (ms): its id is a UUID of version 7. */
export const calledAt = (operationId: string): number =>
  Number.parseInt(operationId.replace('-', '').slice(0, 12), 16);

type Row = Pick<StoredDocument, 'revision' | 'value'>;

/** When this row of ApiCalls is no longer shown (ms); Infinity while the call is under way. */
export function shownUntil({ revision, value }: Row, term: CallTerm): number {
  const { CompletedOn } = callRowIn(value);
  if (CompletedOn === null || term === Infinity) return Infinity;
  // The first event of a company's stream is no import: the row is of an operation's stream, and refused.
  const own = revision === 0 ? Math.min(term, refusedTermMs) : term;
  return Date.parse(CompletedOn) + own;
}
