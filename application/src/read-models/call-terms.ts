import type { StoredDocument } from '../ports/read-models.js';
import { callRowIn, callStateOf } from './call-row.js';

const DAY_MS = 24 * 60 * 60_000;

/** Wrong calls come without limit, and nothing follows from them. */
export const refusedTermMs = 30 * DAY_MS;

/** How long an ended call is shown (ms). The log keeps all. */
export type CallTerm = number;

/** `text` is a number of days, as `400d`, or `all`. */
export const callTerm = (text: string): CallTerm =>
  text === 'all' ? Infinity : Number(text.slice(0, -1)) * DAY_MS;

type Row = Pick<StoredDocument, 'revision' | 'value'>;

/** When this row of ApiCalls is no longer shown (ms); Infinity while the call is under way. */
export function shownUntil({ revision, value }: Row, term: CallTerm): number {
  const row = callRowIn(value);
  if (row.CompletedOn === null || term === Infinity) return Infinity;
  const own = callStateOf(row, revision) === 'refused' ? Math.min(term, refusedTermMs) : term;
  return Date.parse(row.CompletedOn) + own;
}
