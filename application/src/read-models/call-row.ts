import type { ApiCall } from '@rollcall/contracts';
import { fromJson, toJson } from './documents.js';
import type { StoredDocument } from '../ports/read-models.js';

/** The key has its id. */
export type CallRow = Omit<ApiCall, 'ApiOperationId'>;

/** In the order in which they are stored, as an array: names would be half of each row. */
const members = [
  'UserId',
  'Username',
  'CreatedOn',
  'Method',
  'HttpStatusCode',
  'HttpStatusReason',
  'CompletedOn',
  'Inserted',
  'Updated',
  'Removed',
  'Result',
  'ValidationErrors',
  'Progress',
] as const satisfies readonly (keyof CallRow)[];

/** A document of `api-calls`. */
export const toCallDocument = (row: CallRow): Uint8Array => toJson(members.map((name) => row[name]));

export function callRowIn(document: Uint8Array): CallRow {
  const values = fromJson(document) as readonly unknown[];
  return Object.fromEntries(members.map((name, at) => [name, values[at]])) as CallRow;
}

/** `HttpStatusReason` of an import that waits for a decision (docs/contract, "Batch limit"). */
export const heldReason = 'Held: awaiting approval';

type Shown = Pick<CallRow, 'CompletedOn' | 'HttpStatusReason' | 'Result'>;

/** It waits for somebody to approve it. */
export const isHeldCall = ({ CompletedOn, HttpStatusReason }: Shown): boolean =>
  CompletedOn === null && HttpStatusReason === heldReason;

/** Of a call that ended with 409: somebody has rejected it, and not cancelled it. */
export const isRejectedCall = ({ Result }: Shown): boolean => Result?.startsWith('Rejected') === true;

/** Calls that were not carried out, in the indexes `state` and `companyState`. */
export const callStates = { open: 1, failed: 2, refused: 3, cancelled: 4 } as const;

/** The index that has the calls in a state, of one company or all, and the numbers that its entries begin with. */
export const stateIndex = (companyId: number | undefined, code: number): [string, number[]] =>
  companyId === undefined ? ['state', [code]] : ['companyState', [companyId, code]];

/** Undefined: carried out. A refused call's row is of its operation's stream, where it is the first event. */
export function callStateOf(
  { CompletedOn, HttpStatusCode }: Pick<CallRow, 'CompletedOn' | 'HttpStatusCode'>,
  revision: number,
): keyof typeof callStates | undefined {
  if (CompletedOn === null) return 'open';
  if (HttpStatusCode === 200) return undefined;
  // The first event of a company's stream is no import.
  if (revision === 0) return 'refused';
  return HttpStatusCode === 409 ? 'cancelled' : 'failed';
}

/** When an operation began (ms): its id is a UUID of version 7. */
export const calledAt = (operationId: string): number =>
  Number.parseInt(operationId.replace('-', '').slice(0, 12), 16);

/** The newest call comes first in each index: its number is that of the moment, negated. */
export function callIndexes(
  [companyId, operationId]: readonly [companyId: number, operationId: string],
  row: CallRow,
  revision: number,
): Readonly<Record<string, readonly number[]>> {
  const state = callStateOf(row, revision);
  const age = -(calledAt(operationId) || 0);
  if (state === undefined) return { time: [age] };
  const code = callStates[state];
  return { time: [age], state: [code, age], companyState: [companyId, code, age] };
}

const DAY_MS = 24 * 60 * 60_000;

/** Wrong calls come without limit, and nothing follows from them. */
export const refusedTermMs = 30 * DAY_MS;

/** How long an ended call is shown (ms). The log keeps all. */
export type CallTerm = number;

/** Texts that `callTerm` reads: a number of days, as `400d`, or `all`. */
export const callTermPattern = '^(all|[1-9]\\d{0,4}d)$';

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
