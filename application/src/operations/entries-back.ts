import { readSetElement } from '@rollcall/employee-lists/set';
import { originOf } from '../audit/audit-row.js';
import { entryOf, type EmployeeEntry, type EntryKind, visitEntries } from '../audit/employee-entries.js';
import { loadEvent } from '../event-store/loaded-event.js';
import type { EventReader, RecordedEvent } from '../ports/event-log.js';
import type { ReadModelReader } from '../ports/read-models.js';
import { changesBack, type SetChange } from '../read-models/employee-changes.js';

export type KindEntry = EmployeeEntry & { readonly kind: EntryKind };

export interface Stores {
  readonly log: EventReader;
  readonly readModels: Pick<ReadModelReader, 'findBatches'>;
}

/** The reading ends then (`now`), wherever it is. */
export interface Patience {
  readonly until: number;
  readonly now: () => number;
}

export interface EntriesBack extends Patience {
  readonly companyId: number;
  readonly numbers: ReadonlySet<number>;
  /** The newest revision that counts; the last one without it. */
  readonly from?: number | undefined;
}

/**
 * What events of the company's stream say of these employees, newest first, with values; where the reading is. The read models know
 * which events name them.
 */
export async function* entriesBack(
  { log, readModels }: Stores,
  { companyId, numbers, from, until, now }: EntriesBack,
): AsyncGenerator<{
  readonly revision: number;
  readonly entries: readonly KindEntry[];
  readonly isLate: boolean;
}> {
  for await (const changes of changesBack(readModels, companyId, { from }))
    for (const change of changes) {
      if (!namesOne(change, numbers)) continue;
      const [revision] = change;
      if (now() > until) {
        yield { revision: revision + 1, entries: [], isLate: true };
        return;
      }
      for await (const recorded of log.readStream(`company-${companyId}`, { from: revision, limit: 1 }))
        yield { revision, entries: await entriesIn(log, recorded, numbers), isLate: false };
    }
}

function namesOne(change: SetChange, numbers: ReadonlySet<number>): boolean {
  for (let at = 3; at < change.length; at += 2) {
    const first = change[at] ?? 0;
    const count = change[at + 1] ?? 0;
    if (hasOneOf(numbers, first, count)) return true;
  }
  return false;
}

function hasOneOf(numbers: ReadonlySet<number>, first: number, count: number): boolean {
  if (count > numbers.size) return [...numbers].some((one) => one >= first && one < first + count);
  for (let one = first; one < first + count; one += 1) if (numbers.has(one)) return true;
  return false;
}

async function entriesIn(
  log: EventReader,
  recorded: RecordedEvent,
  numbers: ReadonlySet<number>,
): Promise<readonly KindEntry[]> {
  const event = loadEvent(log, recorded);
  const found: KindEntry[] = [];
  const by = originOf(event);
  const unverified = { ...event, chunks: () => event.chunks(true) };
  const chunks = visitEntries(unverified, (kind, bytes, start, end) => {
    if (!numbers.has(readSetElement(kind, bytes, start).number)) return;
    found.push({ ...entryOf(kind, { bytes, start, end }, by, true), kind });
  });
  while (found.length < numbers.size && (await chunks.next()).done !== true);
  await chunks.return(undefined);
  return found;
}
