import type { EmployeeValues, PreviewRow } from '@rollcall/contracts';
import { readSetElement } from '@rollcall/employee-lists/set';
import { entryOf, type EntryKind, visitEntries } from '../audit/employee-entries.js';
import { fieldsOf, originOf, type Origin } from '../audit/audit-row.js';
import { loadEvent, type LoadedEvent } from '../event-store/loaded-event.js';
import { fieldsBetween } from '../imports/preview-fields.js';
import { entriesBack, type KindEntry, type Stores } from './entries-back.js';

export const differenceParts = ['added', 'changed', 'renamed', 'removed', 'restored'] as const;
export type DifferencePart = (typeof differenceParts)[number];

const names: Readonly<Record<DifferencePart, string>> = {
  added: 'Inserted',
  changed: 'Updated',
  renamed: 'Renamed',
  removed: 'Removed',
  restored: 'Restored',
};

export interface DifferencePage {
  readonly by: Origin;
  /** Employees of each part. */
  readonly counts: Readonly<Record<DifferencePart, number>>;
  readonly rows: readonly PreviewRow[];
  /** Rows whose old values were not found in time. */
  readonly withoutOld: number;
}

export interface DifferenceQuery {
  readonly companyId: number;
  /** Of the `EmployeeSetReplaced`. */
  readonly revision: number;
  readonly part: DifferencePart;
  /** Rows before the page. */
  readonly skip: number;
  readonly limit: number;
  /** Old values are looked for until then (`now`). */
  readonly until: number;
  readonly now: () => number;
}

interface Entry {
  readonly number: number;
  /** JSON text; null for one who left. */
  readonly values: string | null;
}

const valuesIn = (text: string | null | undefined): EmployeeValues | undefined =>
  text === null || text === undefined ? undefined : (fieldsOf(JSON.parse(text)) as EmployeeValues);

/** Between the values of two entries, JSON text or absent. The InvitationDate stays as sent when new, and later entries have none. */
export function fieldsOfEntries(
  before: string | null | undefined,
  after: string | null | undefined,
): PreviewRow['Fields'] {
  const { InvitationDate, ...fields } = fieldsBetween(valuesIn(before), valuesIn(after));
  const isSent = typeof before !== 'string' || typeof after !== 'string';
  return isSent && InvitationDate !== undefined ? { ...fields, InvitationDate } : fields;
}

/** What one import has changed, a page of it, with values. Undefined where the event is no set that was replaced. */
export async function importDifference(
  stores: Stores,
  query: DifferenceQuery,
): Promise<DifferencePage | undefined> {
  const { log } = stores;
  const stream = `company-${query.companyId}`;
  for await (const recorded of log.readStream(stream, { from: query.revision, limit: 1 })) {
    const event = loadEvent(log, recorded);
    if (event.name !== 'EmployeeSetReplaced') return undefined;
    const { counts, entries } = await entriesIn(event, query);
    const hasOld = !isNew(query.part);
    const old = hasOld ? await oldEntries(stores, entries, query) : new Map<number, KindEntry>();
    const rows = entries.map((entry) => rowOf(query.part, entry, old.get(entry.number)));
    const withoutOld = hasOld ? entries.filter(({ number }) => !old.has(number)).length : 0;
    return { by: originOf(event), counts, rows, withoutOld };
  }
  return undefined;
}

const isNew = (part: DifferencePart): boolean => part === 'added' || part === 'restored';

function rowOf(part: DifferencePart, { number: Id, values }: Entry, before: Entry | undefined): PreviewRow {
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
    entries.push(entryOf(kind, { bytes, start, end }, by, true));
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

/** The newest entries before the event. */
async function oldEntries(
  stores: Stores,
  entries: readonly Entry[],
  { companyId, revision, until, now }: DifferenceQuery,
): Promise<ReadonlyMap<number, KindEntry>> {
  const numbers = new Set(entries.map(({ number }) => number));
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
