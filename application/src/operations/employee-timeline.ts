import type { PreviewRow } from '@rollcall/contracts';
import { originOf, type Origin } from '../audit/audit-row.js';
import type { EntryKind } from '../audit/employee-entries.js';
import { loadEvent } from '../event-store/loaded-event.js';
import type { EventReader } from '../ports/event-log.js';
import { entriesBack, type EntriesBack, type KindEntry, type Stores } from './entries-back.js';
import { fieldsOfEntries } from './import-difference.js';

export interface TimelineRow {
  /** `joined`, `changed`, `left`, `returned`, or the type of an event of the invitation. */
  readonly what: string;
  readonly by: Origin;
  /** Empty where the values before were not found in time. */
  readonly fields: PreviewRow['Fields'];
}

interface TimelinePage {
  /** Newest first. */
  readonly rows: readonly TimelineRow[];
  /** The revision from which the next page is read; undefined at the employee's first event. */
  readonly next: number | undefined;
}

interface TimelineQuery extends Omit<EntriesBack, 'numbers'> {
  readonly number: number;
  readonly limit: number;
}

const kinds: Readonly<Record<EntryKind, string>> = {
  added: 'joined',
  changed: 'changed',
  left: 'left',
  restored: 'returned',
};

/** Which imports have set which values of one employee, with values. */
export async function employeeTimeline(stores: Stores, query: TimelineQuery): Promise<TimelinePage> {
  const { number, limit, ...reading } = query;
  const entries: KindEntry[] = [];
  for await (const { entries: found, isLate, revision } of entriesBack(stores, {
    ...reading,
    numbers: new Set([number]),
  })) {
    entries.push(...found);
    if (found[0]?.kind === 'added') break;
    if (isLate) return { rows: rowsOf(entries, entries.length), next: revision - 1 };
    // The page ends before it: its old values are further back.
    if (entries.length > limit) return { rows: rowsOf(entries, limit), next: revision };
  }
  return { rows: rowsOf(entries, entries.length), next: undefined };
}

const rowsOf = (entries: readonly KindEntry[], count: number): readonly TimelineRow[] =>
  entries.slice(0, count).map((entry, at) => rowOf(entry, entries[at + 1]));

function rowOf(entry: KindEntry, before: KindEntry | undefined): TimelineRow {
  const isKnown = before !== undefined || entry.kind === 'added';
  const fields = isKnown ? fieldsOfEntries(before?.values, entry.values) : {};
  return { what: kinds[entry.kind], by: entry.by, fields };
}

/** The events of the employee's invitation, newest first. */
export async function invitationEvents(
  log: EventReader,
  companyId: number,
  number: number,
): Promise<readonly TimelineRow[]> {
  const rows: TimelineRow[] = [];
  for await (const recorded of log.readStream(`invitation-${companyId}-${number}`, {
    backwards: true,
    limit: 100,
  })) {
    const event = loadEvent(log, recorded);
    rows.push({ what: event.name, by: originOf(event), fields: {} });
  }
  return rows;
}
