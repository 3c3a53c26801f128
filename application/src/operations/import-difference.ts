import type { EmployeeValues, PreviewRow } from '@rollcall/contracts';
import { readSetElement } from '@rollcall/employee-lists/set';
import { entryOf, type EntryKind, visitEntries } from '../audit/employee-entries.js';
import { fieldsOf, originOf } from '../audit/audit-row.js';
import { loadEvent, type LoadedEvent } from '../event-store/loaded-event.js';
import { eventAt } from '../event-store/log-reading.js';
import { fieldsBetween } from '../imports/preview-rows.js';
import { entriesBack, type KindEntry, type Patience, type Stores } from './entries-back.js';

export const differenceParts = ['added', 'changed', 'renamed', 'removed', 'restored'] as const;
export type DifferencePart = (typeof differenceParts)[number];

const names: Readonly<Record<DifferencePart, string>> = {
  added: 'Inserted',
  changed: 'Updated',
  renamed: 'Renamed',
  removed: 'Removed',
  restored: 'Restored',
};

export interface ImportPlace {
  readonly companyId: number;
  readonly revision: number;
}

/** Old values are looked for until then. */
interface DifferenceQuery extends ImportPlace, Patience {
  readonly part: DifferencePart;
  readonly skip: number;
  readonly limit: number;
}

interface Entry {
  readonly part: DifferencePart;
  readonly number: number;
  /** JSON text; null for one who left. */
  readonly values: string | null;
}

const valuesIn = (text: string | null | undefined): EmployeeValues | undefined =>
  text === null || text === undefined ? undefined : (fieldsOf(JSON.parse(text)) as EmployeeValues);

/** Between the values of two entries, JSON text or absent. Only who is new has the InvitationDate: it stays as sent. */
export function fieldsOfEntries(
  before: string | null | undefined,
  after: string | null | undefined,
): PreviewRow['Fields'] {
  const { InvitationDate, ...fields } = fieldsBetween(valuesIn(before), valuesIn(after));
  return typeof before !== 'string' && InvitationDate !== undefined ? { ...fields, InvitationDate } : fields;
}

/** What one import has changed, a page of it, with values. Undefined where the event is no set that was replaced. */
export async function importDifference(stores: Stores, query: DifferenceQuery) {
  const event = await setEvent(stores, query);
  if (event === undefined) return undefined;
  const { counts, entries } = await entriesIn(event, query);
  const old = await oldEntries(stores, entries, query);
  const rows = entries.map((entry) => rowOf(entry, old.get(entry.number)));
  // Not found in time.
  const withoutOld = entries.filter(({ part, number }) => !isNew(part) && !old.has(number)).length;
  return { counts, rows, withoutOld };
}

async function setEvent({ log }: Stores, { companyId, revision }: ImportPlace) {
  const recorded = await eventAt(log, `company-${companyId}`, revision);
  const event = recorded && loadEvent(log, recorded);
  return event?.name === 'EmployeeSetReplaced' ? event : undefined;
}

/** All rows, however long it takes, some thousands in memory. Undefined as from `importDifference`. */
export async function wholeDifference(
  stores: Stores,
  place: ImportPlace,
): Promise<AsyncGenerator<PreviewRow> | undefined> {
  const event = await setEvent(stores, place);
  return event && allRows(stores, event, place);
}

async function* allRows(stores: Stores, event: LoadedEvent, place: ImportPlace): AsyncGenerator<PreviewRow> {
  const query = { ...place, until: Infinity, now: () => 0 };
  let entries: Entry[] = [];
  const by = originOf(event);
  const chunks = visitEntries(event, (kind, bytes, start, end) => {
    entries.push({ part: partOf(kind, bytes, start), ...entryOf(kind, { bytes, start, end }, by, true) });
  });
  try {
    for (let isLast = false; !isLast;) {
      isLast = (await chunks.next()).done === true;
      if (!isLast && entries.length < entriesTogether) continue;
      const old = await oldEntries(stores, entries, query);
      for (const entry of entries) yield rowOf(entry, old.get(entry.number));
      entries = [];
    }
  } finally {
    await chunks.return(undefined);
  }
}

/** Each batch looks for its old values in all events back to the first load. */
const entriesTogether = 8_192;

const isNew = (part: DifferencePart): boolean => part === 'added' || part === 'restored';

function rowOf({ part, number: Id, values }: Entry, before: KindEntry | undefined): PreviewRow {
  const old = before?.values;
  const known = valuesIn(values ?? old);
  const Fields = before !== undefined || isNew(part) ? fieldsOfEntries(old, values) : {};
  return { Change: names[part], Id, ...(known && { EmployeeID: known.EmployeeID }), Fields };
}

async function entriesIn(event: LoadedEvent, { part, skip, limit }: DifferenceQuery) {
  const counts = { added: 0, changed: 0, renamed: 0, removed: 0, restored: 0 };
  const entries: Entry[] = [];
  const by = originOf(event);
  const chunks = visitEntries(event, (kind, bytes, start, end) => {
    const own = partOf(kind, bytes, start);
    const at = counts[own]++;
    if (own !== part || at < skip || at >= skip + limit) return;
    entries.push({ part, ...entryOf(kind, { bytes, start, end }, by, true) });
  });
  while ((await chunks.next()).done !== true);
  return { counts, entries };
}

function partOf(kind: EntryKind, bytes: Buffer, start: number): DifferencePart {
  if (kind === 'left') return 'removed';
  if (kind !== 'changed') return kind;
  const element = readSetElement(kind, bytes, start);
  return 'idDigest' in element ? 'renamed' : 'changed';
}

async function oldEntries(
  stores: Stores,
  entries: readonly Entry[],
  { companyId, revision, until, now }: ImportPlace & Patience,
): Promise<ReadonlyMap<number, KindEntry>> {
  const numbers = new Set(entries.flatMap(({ part, number }) => (isNew(part) ? [] : [number])));
  const found = new Map<number, KindEntry>();
  if (numbers.size === 0) return found;
  for await (const back of entriesBack(stores, { companyId, numbers, from: revision - 1, until, now })) {
    for (const entry of back.entries) {
      found.set(entry.number, entry);
      numbers.delete(entry.number);
    }
    if (numbers.size === 0) break;
  }
  return found;
}
