import type { EmployeeValues } from '@rollcall/contracts';
import { valuesText, withoutInvitationDate } from '@rollcall/employee-lists';
import { type FullElement, readFullElement, readSetElement } from '@rollcall/employee-lists/set';
import { type AuditFields, personalFields } from '../audit/audit-row.js';
import { type EntryKind, visitEntries } from '../audit/employee-entries.js';
import { loadEvent } from '../event-store/loaded-event.js';
import { type EventReader, LogCorrupt } from '../ports/event-log.js';
import { BodyFile } from '../imports/stored-body.js';

export interface OldValuesDeps {
  readonly log: EventReader;
  /** Holds the values: they may be those of a whole company. */
  readonly temporaryFolder: string;
}

interface WantedValues {
  readonly stream: string;
  /** The newest revision that counts. */
  readonly from: number;
  /** Without an InvitationDate. */
  readonly changed: Iterable<number>;
  /** With the InvitationDate as sent when new. */
  readonly restored: Iterable<number>;
}

const bufferedBytes = 64 * 1024;

/** Values of employees who were present at a revision, as JSON text, from the log alone. `close` it. */
export class OldValues {
  readonly #file: BodyFile;
  readonly #places = new Map<number, { readonly at: number; readonly bytes: number }>();
  readonly #dates = new Map<number, string>();
  readonly #missing: Set<number>;
  /** Of these the newest values say no InvitationDate. */
  readonly #undated = new Set<number>();
  readonly #restored: ReadonlySet<number>;
  #buffer: Buffer[] = [];
  #buffered = 0;

  private constructor(file: BodyFile, { changed, restored }: WantedValues) {
    this.#file = file;
    this.#restored = new Set(restored);
    this.#missing = new Set([...changed, ...this.#restored]);
  }

  /** Reads the stream backwards, as far as it must. `LogCorrupt` where it lacks some. */
  static async read({ log, temporaryFolder }: OldValuesDeps, wanted: WantedValues): Promise<OldValues> {
    const values = new OldValues(new BodyFile(temporaryFolder), wanted);
    try {
      await values.#read(log, wanted);
      return values;
    } catch (error) {
      values.close();
      throw error;
    }
  }

  async #read(log: EventReader, { stream, from }: WantedValues): Promise<void> {
    if (this.#isComplete()) return;
    for await (const recorded of log.readStream(stream, { from, backwards: true })) {
      const event = loadEvent(log, recorded);
      if (event.name !== 'EmployeeSetReplaced') continue;
      const entries = visitEntries(event, (...entry) => this.#take(...entry));
      while ((await entries.next()).done !== true) if (this.#buffered >= bufferedBytes) this.#flush();
      if (this.#isComplete()) break;
    }
    this.#flush();
    if (!this.#isComplete()) throw new LogCorrupt(`The stream ${stream} lacks values of its employees`);
  }

  #isComplete(): boolean {
    return this.#missing.size + this.#undated.size === 0;
  }

  #take(kind: EntryKind, bytes: Buffer, start: number, end: number): void {
    const { number } = readSetElement(kind, bytes, start);
    const isFirst = this.#missing.delete(number);
    if (!isFirst && (kind === 'changed' || !this.#undated.delete(number))) return;
    const entry = readFullElement(kind, bytes, start, end);
    if (entry.kind === 'left') throw new LogCorrupt(`Employee number ${number} has left before the import`);
    if (isFirst) this.#put(number, withoutInvitationDate(entry.values));
    if (this.#restored.has(number)) this.#dateFrom(entry);
  }

  #dateFrom({ kind, number, values }: Exclude<FullElement, { readonly kind: 'left' }>): void {
    if (kind === 'changed') this.#undated.add(number);
    else if (values.InvitationDate !== undefined) this.#dates.set(number, values.InvitationDate);
  }

  #put(number: number, values: EmployeeValues): void {
    const bytes = Buffer.from(valuesText(values));
    this.#places.set(number, { at: this.#file.length + this.#buffered, bytes: bytes.length });
    this.#buffered += bytes.length;
    this.#buffer.push(bytes);
  }

  #flush(): void {
    this.#file.write(Buffer.concat(this.#buffer));
    this.#buffer = [];
    this.#buffered = 0;
  }

  get numbers(): readonly number[] {
    return [...this.#places.keys()];
  }

  has(number: number): boolean {
    return this.#places.has(number);
  }

  fieldsOf(number: number): AuditFields {
    return personalFields({ personal: this.textOf(number) });
  }

  textOf(number: number): string {
    const { at, bytes } = this.#places.get(number) ?? { at: 0, bytes: 0 };
    const text = this.#file.read(at, at + bytes);
    const date = this.#dates.get(number);
    return date === undefined
      ? text.toString()
      : `${text.toString('utf8', 0, bytes - 1)},"InvitationDate":${JSON.stringify(date)}}`;
  }

  close(): void {
    this.#file.close();
  }
}
