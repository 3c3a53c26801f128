import { parseStrictJson } from '../json/strict-json.js';
import { foldEmail } from '../text/emails.js';
import type { Digester } from './digests.js';
import { type BodyBytes, type EmployeeList, ListBuilder } from './list-builder.js';
import { Problems } from './problems.js';
import { type EmployeeReading, isComplete, readEmployee } from './read-employee.js';
import { giveBack, pieceBytes, type ReaderModule, takeModule } from './reader-module.js';
import { Utf8Check } from './utf8-check.js';
import { canonicalBytes } from './values.js';

export type EmployeeListReading =
  | { readonly status: 'valid'; readonly list: EmployeeList }
  | { readonly status: 'invalid'; readonly problems: readonly string[] };

/** What a check gives: a list, or the count of a valid body that is too long to be decided on now. */
export type EmployeeListCheck = EmployeeListReading | { readonly status: 'checked'; readonly count: number };

/** Why elements were left to the rules in full (`domain/reader/element.ts`), by the number of the reason. */
const unsettledReasons = ['none', 'json', 'rule', 'nested', 'repeated-name', 'members', 'long'] as const;
export type UnsettledReason = (typeof unsettledReasons)[number];
/** Told of each element that the module has left to the rules in full. */
export type OnUnsettled = (reason: UnsettledReason) => void;

/** No employee with all that is allowed comes near; read in full, a larger element would take memory many times its size. */
const maxElementBytes = 1024 * 1024;

/** Why the module has come back, and what is wrong with a list (`domain/reader/list.ts`). */
const stop = { input: 1, unsettled: 2, repeated: 3, end: 4, malformed: 5, full: 6 } as const;
const wholeBodyProblems: Readonly<Record<number, string>> = {
  1: 'The body is empty; send a JSON array of employees',
  2: 'The body must be a JSON array of employees',
};
const malformedAt: Readonly<Record<number, string>> = {
  3: 'an element that does not end',
  4: 'no comma and no end of the array',
  5: 'text behind the end of the array',
};

/** The columns in which nothing may come twice, by their numbers (`domain/reader/repeats.ts`). */
const columns = ['EmployeeID', 'Email', 'Phonenumber'] as const;
type Column = (typeof columns)[number];

/** What is compared of a column; undefined where the element has none. */
function comparedText({ values }: EmployeeReading, column: Column): string | undefined {
  const text = values[column];
  return column === 'Email' && text !== undefined ? foldEmail(text) : text;
}

export interface ListReaderOptions {
  readonly digester: Digester;
  /** Lists of so many elements and more are checked, but not digested. */
  readonly digestBelow: number;
  /** About so many bytes come: room is made for their elements. */
  readonly expectedBytes: number;
  /** Gives back what was fed, for the few elements that are looked at again. */
  readonly bytes: BodyBytes;
  /** Told of each element that the module has left to the rules in full. */
  readonly onUnsettled?: OnUnsettled | undefined;
}

/**
 * Reads and checks the body of an employee synchronisation while it comes, every element and every rule, in memory that does
 * not grow with its text (docs/contract, "Validation"). Pure: the same bytes and key give the same result, wherever chunks
 * end. `close` has to end it.
 */
export class EmployeeListReader {
  readonly #options: ListReaderOptions;
  readonly #module: ReaderModule;
  readonly #builder: ListBuilder;
  readonly #problems = new Problems();
  readonly #utf8 = new Utf8Check();
  #malformed: string | undefined;
  /** The element that was read last to settle a hit: a list may repeat one text many times. */
  #seen: { readonly element: number; readonly reading: EmployeeReading } | undefined;

  constructor(options: ListReaderOptions) {
    const { digester, digestBelow, expectedBytes } = options;
    const expected = Math.max(16, Math.ceil(expectedBytes / 300));
    this.#options = options;
    this.#builder = new ListBuilder(Math.min(expected, Math.max(16, digestBelow)));
    this.#module = takeModule();
    this.#module.beginList(digester, expected, (...hit) => this.#isSameText(...hit));
  }

  /** Reads what is whole with this chunk. A copy of what is not is kept. */
  feed(chunk: Uint8Array): void {
    if (!this.#utf8.push(chunk)) return;
    for (let at = 0; at < chunk.length && this.#malformed === undefined;) {
      const length = Math.min(pieceBytes, this.#module.calls.inputRoom(), chunk.length - at);
      this.#module.bytes.set(chunk.subarray(at, at + length), this.#module.calls.inputPlace());
      this.#module.calls.addInput(length);
      at += length;
      this.#read();
    }
  }

  /** What the list is, once all of it was fed. */
  finish(): EmployeeListCheck {
    if (!this.#utf8.finish()) return { status: 'invalid', problems: ['The body is not valid UTF-8'] };
    this.#module.calls.endInput();
    if (this.#malformed === undefined) this.#read();
    if (this.#malformed !== undefined) return { status: 'invalid', problems: [this.#malformed] };
    if (this.#problems.count > 0) return { status: 'invalid', problems: this.#problems.list() };
    const { count } = this.#builder;
    if (count >= this.#options.digestBelow) return { status: 'checked', count };
    return { status: 'valid', list: this.#builder.list(this.#options.bytes) };
  }

  /** Gives back what it works with. Nothing may be called behind it. */
  close(): void {
    giveBack(this.#module);
  }

  /** Reads until more bytes are wanted, or it is over. */
  #read(): void {
    while (this.#malformed === undefined) {
      const reached = this.#module.calls.readList();
      this.#collect();
      switch (reached) {
        case stop.unsettled:
          this.#addUnsettled();
          break;
        case stop.repeated:
          this.#reportRepeats();
          break;
        case stop.malformed:
          this.#malformed = this.#malformedText();
          return;
        case stop.full:
          break;
        default:
          return;
      }
    }
  }

  /** Takes over what the module has noted. */
  #collect(): void {
    const { calls, bytes, words } = this.#module;
    const builder = this.#builder;
    const more = calls.recordCount.value;
    if (more === 0) return;
    if (builder.isDigesting && builder.count + more >= this.#options.digestBelow) {
      builder.forgetDigests();
      calls.setDigesting(0);
    }
    builder.reserve(more);
    const from = ({ value }: { value: number }, length: number): Uint32Array =>
      words.subarray(value / 4, value / 4 + length);
    builder.bounds.set(from(calls.bounds, more * 2), builder.count * 2);
    builder.withUnknown.set(
      bytes.subarray(calls.withUnknown.value, calls.withUnknown.value + more),
      builder.count,
    );
    builder.plain.fill(1, builder.count, builder.count + more);
    if (builder.isDigesting) {
      builder.ids.set(from(calls.idDigests, more * 4), builder.count * 4);
      builder.digests.set(from(calls.digests, more * 4), builder.count * 4);
    }
    builder.count += more;
  }

  #malformedText(): string {
    const { problem, problemAt } = this.#module.calls;
    const ofWholeBody = wholeBodyProblems[problem.value];
    return ofWholeBody ?? this.#malformedAt(problemAt.value, malformedAt[problem.value] ?? '');
  }

  #malformedAt(at: number, what: string): string {
    return `The body is not valid JSON: ${what} at byte ${at}, element [${this.#builder.count}]`;
  }

  /** Reads an element by the rules in full. */
  #addUnsettled(): void {
    const { calls } = this.#module;
    const builder = this.#builder;
    const start = calls.elementStart.value >>> 0;
    const end = calls.position() >>> 0;
    this.#options.onUnsettled?.(unsettledReasons[calls.unsettledReason.value] ?? 'none');
    builder.reserve(1);
    builder.bounds[builder.count * 2] = start;
    builder.bounds[builder.count * 2 + 1] = end;
    if (end - start > maxElementBytes)
      this.#report(builder.count, null, `must be at most ${maxElementBytes} bytes`);
    else this.#addParsed(builder.count, start, this.#options.bytes(start, end));
    builder.count++;
  }

  #addParsed(element: number, start: number, bytes: Buffer): void {
    const parsed = parseStrictJson(bytes);
    if (!parsed.ok) {
      const { at, what } = parsed.problem;
      if (!isJson(bytes)) this.#malformed = this.#malformedAt(start + at, what);
      else this.#problems.add(() => `[${element}]: there is ${what}, at byte ${start + at}`);
      return;
    }
    const reading = readEmployee(parsed.value);
    const builder = this.#builder;
    builder.withUnknown[element] = reading.ignored.length > 0 ? 1 : 0;
    const id = reading.values.EmployeeID ?? null;
    for (const problem of reading.problems) this.#report(element, id, problem);
    this.#checkParsedUniques(element, id, reading);
    if (!builder.isDigesting || !isComplete(reading)) return;
    const { digester } = this.#options;
    digester.idDigestOf(reading.values.EmployeeID, builder.ids, element * 4);
    digester.valuesDigestOf(canonicalBytes(reading.values), builder.digests, element * 4);
  }

  #checkParsedUniques(element: number, id: string | null, reading: EmployeeReading): void {
    for (const [number, column] of columns.entries()) {
      const text = comparedText(reading, column);
      if (text === undefined) continue;
      const owner = this.#module.ownerOf(number, element, text);
      if (owner >= 0) this.#report(element, id, `${column} ${sameAs(owner)}`);
    }
  }

  /** Of the element that was read last. */
  #reportRepeats(): void {
    const { calls, bytes } = this.#module;
    const element = this.#builder.count - 1;
    const owners = columns.map((_, column) => bytes.readInt32LE(calls.owners.value + column * 4));
    for (const [number, column] of columns.entries()) {
      const owner = owners[number] ?? -1;
      if (owner >= 0) this.#reportLater(element, `${column} ${sameAs(owner)}`);
    }
  }

  #reportLater(element: number, problem: string): void {
    this.#problems.add(() =>
      problemText(element, this.#readAgain(element).values.EmployeeID ?? null, problem),
    );
  }

  #report(element: number, id: string | null, problem: string): void {
    this.#problems.add(() => problemText(element, id, problem));
  }

  /** Hashes that meet are no proof: the text itself is compared. */
  #isSameText(column: number, element: number, start: number, length: number): boolean {
    const name = columns[column];
    if (name === undefined) return false;
    if (this.#seen?.element !== element) this.#seen = { element, reading: this.#readAgain(element) };
    const text = comparedText(this.#seen.reading, name);
    return text !== undefined && Buffer.from(text).equals(this.#module.bytes.subarray(start, start + length));
  }

  #readAgain(element: number): EmployeeReading {
    const [start, end] = this.#boundsOf(element);
    return readEmployee(JSON.parse(this.#options.bytes(start, end).toString()));
  }

  /** The newest ones may still be in the module's records only. */
  #boundsOf(element: number): [number, number] {
    const { count, bounds } = this.#builder;
    if (element < count) return [bounds[element * 2] ?? 0, bounds[element * 2 + 1] ?? 0];
    const { calls, bytes } = this.#module;
    const place = calls.bounds.value + (element - count) * 8;
    return [bytes.readUInt32LE(place), bytes.readUInt32LE(place + 4)];
  }
}

/** Whether the text is JSON at all; what the strict parser refuses besides concerns one element only. */
function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
}

const sameAs = (element: number): string => `is the same as that of [${element}]`;
const problemText = (element: number, id: string | null, problem: string): string =>
  `[${element}]${id === null ? '' : ` EmployeeID '${id}'`}: ${problem}`;
