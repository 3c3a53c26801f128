import { parseStoredType, type EventName, type WebhookType } from '@rollcall/contracts';
import { eventData, loadEvent, type LoadedEvent } from '../event-store/loaded-event.js';
import { readTerminalEvent } from '../imports/terminal-events.js';
import type { EventReader, Position, RecordedEvent } from '../ports/event-log.js';
import { notificationOf, type Notification } from './notification.js';

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

/** By the stored type alone. */
export function noticeType({ type }: Pick<RecordedEvent, 'type'>): WebhookType | undefined {
  const name = parseStoredType(type)?.name;
  return name && types[name];
}

const kindOf = (name: EventName): string => (name.startsWith('Manager') ? 'managers' : 'employees');

async function dataOf(event: LoadedEvent): Promise<object> {
  const { name, metadata, stream } = event;
  if (name === 'InvitationFailed') {
    const { code } = await eventData(event, name);
    return { number: Number(stream.slice(stream.lastIndexOf('-') + 1)), code };
  }
  if (name === 'ImportCancelled' || name === 'ImportRejected') {
    const { operationId, kind } = await eventData(event, name);
    return { operationId, kind, status: 409 };
  }
  if (name === 'ImportHeld') {
    const { operationId, kind, inserted, updated, removed, present, limit } = await eventData(event, name);
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
