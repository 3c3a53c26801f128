import { plain } from '@rollcall/application';
import type { ImportRow } from './rows.js';

export const countsText = ({ Inserted, Updated, Removed }: ImportRow): string =>
  `${Inserted} inserted, ${Updated} updated, ${Removed} removed`;

export const statusText = ({ HttpStatusCode, HttpStatusReason }: ImportRow): string =>
  `${HttpStatusCode} ${HttpStatusReason}`;

export function outcomeText(row: ImportRow): string {
  if (row.status === 'pending') return row.Progress ?? '';
  if (row.Result !== null) return plain(row.Result);
  const { length } = row.ValidationErrors;
  if (row.status === 'done' || row.status === 'held') return countsText(row);
  return length === 1 ? '1 validation error' : `${length} validation errors`;
}

export const callerText = ({ UserId, Username }: ImportRow): string =>
  `${UserId === null ? '' : `user ${UserId} `}${plain(JSON.stringify(Username))}`;
