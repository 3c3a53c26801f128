import {
  type ImportKind,
  type ImportHeld,
  parseStoredType,
  type EventName,
  type WebhookType,
} from '@rollcall/contracts';
import { loadEvent, type LoadedEvent } from '../event-store/loaded-event.js';
import { isExpired, readTerminalEvent } from '../imports/terminal-events.js';
import type { EventReader, Position, RecordedEvent } from '../ports/event-log.js';

/** What an e-mail about an import says; counts and no personal value. */
export interface Notification {
  readonly operationId: string;
  readonly subject: string;
  readonly lines: readonly string[];
}

/** Events before a cancellation among which its hold is looked for. */
const maxLooked = 2_000;

const nouns: Readonly<Record<ImportKind, string>> = {
  employees: 'An employee import',
  managers: 'A manager import',
};

/** Undefined where nobody asked for an e-mail about it, as where a person has cancelled or rejected the import. */
async function notificationOf(log: EventReader, event: LoadedEvent): Promise<Notification | undefined> {
  if (event.name === 'ImportHeld') {
    const held = await event.data(event.name);
    const wait =
      'It waits until somebody approves or rejects it, 7 days at most; later imports wait behind it.';
    return notification(event, held, ['is held', `${holdText(held)} ${wait}`]);
  }
  if (event.name === 'ImportFailed') {
    const data = await event.data(event.name);
    const errors = data.validationErrors.length;
    const counted = errors === 0 ? '' : ` Problems that were found: ${errors}.`;
    return notification(event, data, [
      'has failed',
      `${data.status}: ${data.reason}.${counted} Nothing has changed.`,
    ]);
  }
  if (event.name !== 'ImportCancelled' || !isExpired(event.metadata)) return undefined;
  const data = await event.data(event.name);
  const held = await lastHold(log, event, data.operationId);
  const nobody = 'Nobody approved or rejected it within 7 days, and nothing has changed.';
  return notification(event, data, ['is cancelled', held ? `${holdText(held)} ${nobody}` : nobody]);
}

const holdText = ({ inserted, updated, removed, present, limit }: ImportHeld): string =>
  `It would add ${inserted}, update ${updated} and remove ${removed} of ${present} employees present: ` +
  `more than the batch limit of ${limit} %.`;

function notification(
  { metadata: { companyId } }: LoadedEvent,
  { operationId, kind }: { readonly operationId: string; readonly kind: ImportKind },
  [what, text]: readonly [string, string],
): Notification {
  const subject = `${nouns[kind]} of company ${companyId} ${what}`;
  return { operationId, subject, lines: [`${subject}.`, text] };
}

async function lastHold(
  log: EventReader,
  { stream, revision }: LoadedEvent,
  operationId: string,
): Promise<ImportHeld | undefined> {
  const back = { from: revision, backwards: true, limit: maxLooked } as const;
  for await (const recorded of log.readStream(stream, back)) {
    if (!recorded.type.startsWith('ImportHeld')) continue;
    const held = await loadEvent(log, recorded).data('ImportHeld');
    if (held.operationId === operationId) return held;
  }
  return undefined;
}

/** A message for webhooks: an event of the log, and the body about it. */
export interface Notice {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  /** Of the event: receivers know repeats by it. */
  readonly id: string;
  readonly type: WebhookType;
  /** Ids and counts, no personal value. */
  readonly body: string;
  readonly notification: Notification | undefined;
}

const types: Readonly<Partial<Record<EventName, WebhookType>>> = {
  EmployeeSetReplaced: 'import.completed',
  EmployeeSetConfirmed: 'import.completed',
  ManagerRolesImported: 'import.completed',
  ManagerRolesConfirmed: 'import.completed',
  ImportFailed: 'import.failed',
  ImportCancelled: 'import.failed',
  ImportRejected: 'import.failed',
  ImportHeld: 'import.held',
  InvitationFailed: 'invitation.failed',
};

export function noticeType({ type }: Pick<RecordedEvent, 'type'>): WebhookType | undefined {
  const name = parseStoredType(type)?.name;
  return name && types[name];
}

const kindOf = (name: EventName): string => (name.startsWith('Manager') ? 'managers' : 'employees');

async function dataOf(event: LoadedEvent): Promise<object> {
  const { name, metadata, stream } = event;
  if (name === 'InvitationFailed') {
    const { code } = await event.data(name);
    return { number: Number(stream.slice(stream.lastIndexOf('-') + 1)), code };
  }
  if (name === 'ImportCancelled' || name === 'ImportRejected') {
    const { operationId, kind } = await event.data(name);
    return { operationId, kind, status: 409 };
  }
  if (name === 'ImportHeld') {
    const { operationId, kind, inserted, updated, removed, present, limit } = await event.data(name);
    return { operationId, kind, status: 202, inserted, updated, removed, present, limit };
  }
  const { operationId } = metadata;
  const ended = await readTerminalEvent(event);
  return ended.kind === 'done'
    ? { operationId, kind: kindOf(name), status: 200, ...ended.counts }
    : { operationId, kind: ended.failure.kind, status: ended.failure.status };
}

/** `LogCorrupt` where the event cannot be read. */
export async function noticeOf(
  log: EventReader,
  recorded: RecordedEvent,
  type: WebhookType,
): Promise<Notice> {
  const event = loadEvent(log, recorded);
  const { companyId, recordedAt } = event.metadata;
  const data = { companyId, ...(await dataOf(event)) };
  const { stream, revision, position, id } = event;
  return {
    stream,
    revision,
    position,
    id,
    type,
    body: JSON.stringify({ type, timestamp: recordedAt, data }),
    notification: await notificationOf(log, event),
  };
}
