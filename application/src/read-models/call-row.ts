import type { ApiCall } from '@rollcall/contracts';
import { fromJson, toJson } from './documents.js';

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
