import { readSetElement } from '@rollcall/employee-lists/set';
import { originOf } from '../audit/audit-row.js';
import { entryOf, type EmployeeEntry, type EntryKind, visitEntries } from '../audit/employee-entries.js';
import { loadEvent } from '../event-store/loaded-event.js';
import { stagedReference } from '../event-store/staged-data.js';
import type { EventReader, RecordedEvent } from '../ports/event-log.js';

export type KindEntry = EmployeeEntry & { readonly kind: EntryKind };

export interface EntriesBack {
  readonly companyId: number;
  readonly numbers: ReadonlySet<number>;
  /** The newest revision that counts; the last one without it. */
  readonly from?: number | undefined;
  /** It ends then (`now`). */
  readonly until: number;
  readonly now: () => number;
}

/** What events of the company's stream say of these employees, newest first, with values; and where the reading is. */
export async function* entriesBack(
  log: EventReader,
  { companyId, numbers, from, until, now }: EntriesBack,
): AsyncGenerator<{
  readonly revision: number;
  readonly entries: readonly KindEntry[];
  readonly isLate: boolean;
}> {
  const options = { ...(from !== undefined && { from }), backwards: true };
  for await (const recorded of log.readStream(`company-${companyId}`, options)) {
    const isConcerned = recorded.type.startsWith('EmployeeSetReplaced') && mayName(recorded, numbers);
    const entries = isConcerned ? await entriesIn(log, recorded, numbers) : [];
    const isLate = now() > until;
    if (entries.length > 0 || isLate) yield { revision: recorded.revision, entries, isLate };
    if (isLate) return;
  }
}

const mark = '{"number":';

/** Most events do not name these employees, and are not read any further. */
function mayName({ data }: RecordedEvent, numbers: ReadonlySet<number>): boolean {
  if (stagedReference(data) !== undefined) return true;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + mark.length))
    if (numbers.has(Number.parseInt(bytes.toString('latin1', at + mark.length, at + mark.length + 16), 10)))
      return true;
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
  const chunks = visitEntries(event, (kind, bytes, start, end) => {
    if (!numbers.has(readSetElement(kind, bytes, start).number)) return;
    found.push({ ...entryOf(kind, { bytes, start, end }, by, true), kind });
  });
  while (found.length < numbers.size && (await chunks.next()).done !== true);
  await chunks.return(undefined);
  return found;
}
