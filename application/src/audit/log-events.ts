import type { EventName } from '@rollcall/contracts';
import { loadEvent, type LoadedEvent } from '../event-store/loaded-event.js';
import { eventsToEnd } from '../event-store/log-reading.js';
import type { EventReader, EventSubscriber, Position } from '../ports/event-log.js';
import type { EmployeeFinder } from './employee-history.js';

export interface EventFilter {
  /** All, and those of the installation, by default. */
  readonly company?: number | undefined;
  /** ISO 8601, inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly types?: readonly EventName[] | undefined;
  readonly operation?: string | undefined;
  /** An API user. */
  readonly user?: number | undefined;
}

/** Every event of the log, in its order, to its end; chunks are left out. */
export async function* allEvents(
  log: EventReader & EventSubscriber,
  onRead: (position: Position) => void = () => undefined,
): AsyncGenerator<LoadedEvent> {
  for await (const event of eventsToEnd(log, undefined)) {
    yield loadEvent(log, event);
    onRead(event.position);
  }
}

/** Whether an event is wanted. Of an employee: events with the employee's values, and of the employee's invitations. */
export const eventFilter =
  (filter: EventFilter, employee?: EmployeeFinder) =>
  async (event: LoadedEvent): Promise<boolean> =>
    isOfCompany(event, filter) &&
    isInTime(event, filter) &&
    isOfCall(event, filter) &&
    ((await employee?.isIn(event)) ?? true);

const isOfCompany = ({ metadata }: LoadedEvent, { company }: EventFilter): boolean =>
  company === undefined || metadata.companyId === company;

const isInTime = ({ metadata }: LoadedEvent, { from = '', to = '~' }: EventFilter): boolean =>
  metadata.recordedAt >= from && metadata.recordedAt <= to;

const isOfCall = ({ name, metadata }: LoadedEvent, { types, operation, user }: EventFilter): boolean =>
  (types?.includes(name) ?? true) &&
  (operation ?? metadata.operationId) === metadata.operationId &&
  (user ?? metadata.userId) === metadata.userId;
