import type { EventName } from '@rollcall/contracts';
import { loadEvent, type LoadedEvent } from '../event-store/loaded-event.js';
import { eventsToEnd } from '../event-store/log-reading.js';
import type { EventReader, EventSubscriber, Position } from '../ports/event-log.js';
import { EmployeeFinder } from './employee-history.js';

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
  /** An EmployeeID of the company: events with the employee's values, and of the employee's invitations. */
  readonly employee?: string | undefined;
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

/** Whether an event is wanted; ask for every event in the order of the log. */
export function eventFilter(filter: EventFilter): (event: LoadedEvent) => Promise<boolean> {
  const finder = filter.employee === undefined ? undefined : new EmployeeFinder(filter.employee);
  return async (event) => {
    if (!isOfCompany(event, filter)) return false;
    // First: later events need the numbers that this one may give.
    const isFound = (await finder?.isIn(event)) ?? true;
    return isFound && isInTime(event, filter) && isOfCall(event, filter);
  };
}

const isOfCompany = ({ metadata }: LoadedEvent, { company }: EventFilter): boolean =>
  company === undefined || metadata.companyId === company;

const isInTime = ({ metadata }: LoadedEvent, { from = '', to = '~' }: EventFilter): boolean =>
  metadata.recordedAt >= from && metadata.recordedAt <= to;

const isOfCall = ({ name, metadata }: LoadedEvent, { types, operation, user }: EventFilter): boolean =>
  (types?.includes(name) ?? true) &&
  (operation ?? metadata.operationId) === metadata.operationId &&
  (user ?? metadata.userId) === metadata.userId;
