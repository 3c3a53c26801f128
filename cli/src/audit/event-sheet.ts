import { plain, type AuditFields, type LoadedEvent } from '@rollcall/application';
import type { SettingChange } from '../company-text.js';
import type { Sheet } from './sheet.js';

export interface Shown {
  readonly event: LoadedEvent;
  /** Below how many causes it stands. */
  readonly depth: number;
  readonly changes?: readonly SettingChange[] | undefined;
  /** Of an event that says who looked. */
  readonly access?: AuditFields | undefined;
}

function entryOf({ event: { id, stream, revision, name, metadata }, changes, access }: Shown) {
  const { recordedAt, receivedAt, operationId, userId, username, causationId, reason, undoes } = metadata;
  const who = { userId, username, ...(reason === undefined ? {} : { reason }) };
  const what = changes === undefined ? {} : { changes };
  const call = { operationId, receivedAt, causationId, ...(undoes === undefined ? {} : { undoes }) };
  return { recordedAt, type: name, stream, revision, id, ...who, ...call, ...what, ...access };
}

const changeText = ({ setting, before, after }: SettingChange): string =>
  ` ${setting} ${before === null ? '' : `${JSON.stringify(before)} -> `}${JSON.stringify(after)}`;

/** Quotes names and reasons: somebody typed them, and the line goes to a terminal. */
export function lineOf(shown: Shown): string {
  const { recordedAt, type, stream, revision, ...entry } = entryOf(shown);
  const who = `by ${entry.userId === null ? '' : `user ${entry.userId} `}${JSON.stringify(entry.username)}`;
  const call = `call ${entry.operationId} of ${entry.receivedAt}`;
  const reason = entry.reason === undefined ? '' : ` because ${JSON.stringify(entry.reason)}`;
  const changes = (entry.changes ?? []).map(changeText).join('');
  const undoes = entry.undoes === undefined ? '' : ` undoes ${entry.undoes}`;
  const access = Object.entries(shown.access ?? {}).map(
    ([name, value]) => ` ${name} ${JSON.stringify(value)}`,
  );
  const line = `${recordedAt} ${type} ${stream}@${revision} ${who} ${call}${undoes}${changes}${access.join('')}${reason}`;
  return '  '.repeat(shown.depth) + plain(line);
}

export const eventSheet = (company: number | undefined): Sheet<Shown> => ({
  head: { companyId: company },
  rows: 'events',
  columns: ['Recorded', 'Type', 'Event', 'User', 'By', 'Call', 'Received', 'Reason', 'Changes', 'Access'],
  cells: (shown) => {
    const { recordedAt, type, stream, revision, userId, username, ...entry } = entryOf(shown);
    const who = [String(userId ?? ''), username, entry.operationId, entry.receivedAt, entry.reason ?? ''];
    const what = [entry.changes ?? [], shown.access ?? {}].map((each) => JSON.stringify(each));
    return [recordedAt, type, `${stream}@${revision}`, ...who, ...what];
  },
  json: (shown) =>
    JSON.stringify({ ...entryOf(shown), ...(shown.depth === 0 ? {} : { depth: shown.depth }) }),
});
