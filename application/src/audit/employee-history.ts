import { headAt, INITIAL_HEAD, verifyNext } from '../event-store/load-state.js';
import type { LoadedEvent } from '../event-store/loaded-event.js';
import type { StreamHead } from '../event-store/linked-events.js';
import type { EventReader, Position } from '../ports/event-log.js';
import {
  fieldChanges,
  fieldsOf,
  originOf,
  type AuditRow,
  type FieldChange,
  type Origin,
} from './audit-row.js';
import { employeeIdIn, entryOf, visitEntries, type EmployeeEntry } from './employee-entries.js';

/** Finds the numbers that an EmployeeID has had, in events of one company. A rename gives it one that had events before. */
export class EmployeeFinder {
  readonly numbers = new Set<number>();
  readonly #employeeId: string;

  constructor(employeeId: string) {
    this.#employeeId = employeeId;
  }

  async entriesIn(event: LoadedEvent): Promise<readonly EmployeeEntry[]> {
    if (event.name !== 'EmployeeSetReplaced') return [];
    const by = originOf(event);
    const found: EmployeeEntry[] = [];
    const entries = visitEntries(event, (kind, bytes, start, end) => {
      const entry = entryOf(kind, { bytes, start, end }, by, false);
      if (kind !== 'left' && employeeIdIn(bytes, start, end) === this.#employeeId)
        this.numbers.add(entry.number);
      if (this.numbers.has(entry.number)) found.push(entryOf(kind, { bytes, start, end }, by, true));
    });
    while ((await entries.next()).done !== true);
    return found;
  }

  async isIn(event: LoadedEvent): Promise<boolean> {
    const [, number] = /^invitation-\d+-(\d+)$/.exec(event.stream) ?? [];
    if (number !== undefined) return this.numbers.has(Number(number));
    return (await this.entriesIn(event)).length > 0;
  }
}

/** A finder that knows all numbers: it has read the company's stream, chain verified. */
export async function findEmployee(
  log: EventReader,
  { companyId, employeeId }: { readonly companyId: number; readonly employeeId: string },
): Promise<EmployeeFinder> {
  const finder = new EmployeeFinder(employeeId);
  for await (const event of verified(log, `company-${companyId}`)) await finder.entriesIn(event);
  return finder;
}

export interface HistoryRow {
  readonly number: number;
  /** `added`, `changed`, `left`, `came back` by an undo, or the type of an event of the employee's invitation. */
  readonly what: string;
  readonly by: Origin;
  readonly fields: readonly FieldChange[];
}

export interface HistoryOptions {
  readonly reveal?: boolean;
  readonly onRead?: (position: Position) => void;
}

/**
 * Everything that happened to the holders of an EmployeeID, by time: which call set which value, and their invitations. Reads the
 * company's stream twice, large lists too, chain verified. Personal values are masked unless `reveal`.
 */
export async function employeeHistory(
  log: EventReader,
  employee: { readonly companyId: number; readonly employeeId: string },
  { reveal = false, onRead }: HistoryOptions = {},
): Promise<readonly HistoryRow[]> {
  const { companyId } = employee;
  const finder = await findEmployee(log, employee);
  const known = new Map<number, AuditRow | undefined>();
  const rows: HistoryRow[] = [];
  for await (const event of verified(log, `company-${companyId}`)) {
    for (const entry of await finder.entriesIn(event)) rows.push(rowOf(entry, known, reveal));
    onRead?.(event.position);
  }
  for (const number of finder.numbers)
    for await (const event of verified(log, `invitation-${companyId}-${number}`))
      rows.push(await invitationRow(number, event));
  return rows.sort((one, other) =>
    one.by.recordedAt < other.by.recordedAt ? -1 : Number(one.by !== other.by),
  );
}

async function* verified(log: EventReader, stream: string): AsyncGenerator<LoadedEvent> {
  let head: StreamHead = INITIAL_HEAD;
  for await (const recorded of log.readStream(stream)) {
    const event = verifyNext(log, head, recorded);
    head = headAt(event);
    yield event;
  }
}

function rowOf(entry: EmployeeEntry, known: Map<number, AuditRow | undefined>, reveal: boolean): HistoryRow {
  const { number, by, present, digest, values } = entry;
  const [before, isNew] = [known.get(number), !known.has(number)];
  const row: AuditRow = { part: 'employees', id: String(number), by, open: { digest }, personal: values };
  const after = present ? row : undefined;
  known.set(number, after);
  const what = isNew ? 'added' : whatOf(before, after);
  return { number, what, by, fields: fieldChanges(before, after, reveal) };
}

function whatOf(before: AuditRow | undefined, after: AuditRow | undefined): string {
  if (after === undefined) return 'left';
  return before === undefined ? 'came back' : 'changed';
}

async function invitationRow(number: number, event: LoadedEvent): Promise<HistoryRow> {
  const open = fieldsOf(await event.json());
  return { number, what: event.name, by: originOf(event), fields: fieldChanges(undefined, { open }) };
}
