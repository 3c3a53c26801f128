import { MisshapenSet, readSetElement, SetEventParser } from '@rollcall/employee-lists/set';
import { loadEvent, type LoadedEvent } from '../event-store/loaded-event.js';
import { LogCorrupt, type EventReader } from '../ports/event-log.js';
import { originOf, personalFields, type Origin } from './audit-row.js';

export type EntryKind = Parameters<typeof readSetElement>[0];

export interface EmployeeEntry {
  readonly number: number;
  /** False: the employee left. */
  readonly present: boolean;
  readonly by: Origin;
  /** Keyed; of the canonical values. Empty for one who left. */
  readonly digest: string;
  /** The personal values as JSON text; null where they were not asked for, or the employee left. */
  readonly values: string | null;
}

/** A set of employee numbers: one bit for each number up to the highest. */
export class NumberSet {
  #bits = new Uint8Array(1024);

  /** False where it was there before. */
  add(number: number): boolean {
    if (this.has(number)) return false;
    this.#ensure(number >> 3);
    this.#bits[number >> 3] = (this.#bits[number >> 3] ?? 0) | (1 << (number & 7));
    return true;
  }

  has(number: number): boolean {
    return ((this.#bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }

  #ensure(byte: number): void {
    if (byte < this.#bits.length) return;
    const larger = new Uint8Array(2 * byte);
    larger.set(this.#bits);
    this.#bits = larger;
  }
}

const digestMark = ',"digest":"';
const digestLength = 32;
const valuesMark = ',"values":';

interface EntryText {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** The entry's JSON text is `bytes` from `start` to `end`; no text of a caller stands before its values. */
export const entryOf = (kind: EntryKind, text: EntryText, by: Origin, withValues: boolean): EmployeeEntry =>
  numberedEntry({ kind, number: readSetElement(kind, text.bytes, text.start).number }, text, by, withValues);

function numberedEntry(
  { kind, number }: { readonly kind: EntryKind; readonly number: number },
  { bytes, start, end }: EntryText,
  by: Origin,
  withValues: boolean,
): EmployeeEntry {
  if (kind === 'left') return { number, present: false, by, digest: '', values: null };
  const digestAt = bytes.indexOf(digestMark, start, 'latin1') + digestMark.length;
  const digest = bytes.toString('latin1', digestAt, digestAt + digestLength);
  if (!withValues) return { number, present: true, by, digest, values: null };
  const valuesAt = bytes.indexOf(valuesMark, digestAt + digestLength, 'latin1') + valuesMark.length;
  return { number, present: true, by, digest, values: bytes.toString('utf8', valuesAt, end - 1) };
}

const idMark = '{"EmployeeID":';

/** The EmployeeID of an entry with values; it comes first among them. */
export function employeeIdIn(bytes: Buffer, start: number, end: number): unknown {
  const valuesAt = bytes.indexOf(valuesMark, start, 'latin1') + valuesMark.length;
  const at = valuesAt + idMark.length;
  if (bytes.toString('latin1', valuesAt, at) !== idMark)
    return personalFields({ personal: bytes.toString('utf8', valuesAt, end - 1) })['EmployeeID'];
  let to = at + 1;
  while (to < end && bytes[to] !== 0x22) to += bytes[to] === 0x5c ? 2 : 1;
  return JSON.parse(bytes.toString('utf8', at, to + 1));
}

/** Visits each entry of an `EmployeeSetReplaced`; yields after each chunk. `LogCorrupt` where it is misshapen. */
export async function* visitEntries(
  event: LoadedEvent,
  visit: ConstructorParameters<typeof SetEventParser>[0],
  begin: ConstructorParameters<typeof SetEventParser>[2] = () => undefined,
): AsyncGenerator<void> {
  const parser = new SetEventParser(visit, undefined, begin);
  try {
    for await (const chunk of event.chunks()) {
      parser.push(chunk);
      yield;
    }
    parser.finish();
  } catch (error) {
    if (!(error instanceof MisshapenSet)) throw error;
    throw new LogCorrupt(`The event at revision ${event.revision} of ${event.stream}: ${error.message}`);
  }
}

interface NewestEntriesOptions {
  /** The newest revision that counts. */
  readonly from: number;
  /** The oldest one. Without it the reading ends with the first event, or once everyone who is present was met. */
  readonly downTo?: number;
  readonly wanted?: (number: number) => boolean;
  readonly withValues?: boolean;
  /** Gets the number of employees after the newest event. */
  readonly onTotal?: (total: number) => void;
}

/**
 * The newest entry of each employee, those who left too. Reads the company's stream backwards and holds a chunk and one bit for each
 * number; so the order is that of the events, newest first. Entries come in batches.
 */
export async function* newestEntries(
  log: EventReader,
  stream: string,
  options: NewestEntriesOptions,
): AsyncGenerator<readonly EmployeeEntry[]> {
  const newest = new NewestEntries(options);
  if (newest.isComplete(options.from)) return;
  for await (const recorded of log.readStream(stream, { from: options.from, backwards: true })) {
    if (newest.isComplete(recorded.revision)) return;
    const event = loadEvent(log, recorded);
    if (event.name === 'EmployeeSetReplaced') yield* newest.entriesOf(event);
  }
}

class NewestEntries {
  readonly #options: NewestEntriesOptions;
  readonly #seen = new NumberSet();
  /** Of those present, the ones that were not met yet. */
  #missing: number | undefined;

  constructor(options: NewestEntriesOptions) {
    this.#options = options;
  }

  isComplete(revision: number): boolean {
    const { downTo } = this.#options;
    return downTo === undefined ? this.#missing === 0 : revision < downTo;
  }

  async *entriesOf(event: LoadedEvent): AsyncGenerator<readonly EmployeeEntry[]> {
    const by = originOf(event);
    const { withValues = false } = this.#options;
    let batch: EmployeeEntry[] = [];
    const chunks = visitEntries(
      event,
      (kind, bytes, start, end) => {
        const { number } = readSetElement(kind, bytes, start);
        if (this.#isNew(kind, number))
          batch.push(numberedEntry({ kind, number }, { bytes, start, end }, by, withValues));
      },
      ({ total }) => this.#begin(total),
    );
    while ((await chunks.next()).done !== true) {
      if (batch.length > 0) yield batch;
      batch = [];
    }
  }

  #begin(total: number): void {
    if (this.#missing !== undefined) return;
    this.#missing = total;
    this.#options.onTotal?.(total);
  }

  #isNew(kind: EntryKind, number: number): boolean {
    if (!this.#seen.add(number)) return false;
    if (this.#missing !== undefined && kind !== 'left') this.#missing -= 1;
    return this.#options.wanted?.(number) ?? true;
  }
}
