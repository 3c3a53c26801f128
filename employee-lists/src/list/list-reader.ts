import { breaches, maxJsonDepth } from '../json/json-scanner.js';
import { describeJsonProblem, parseStrictJson, Utf8Check } from '../json/strict-json.js';
import type { IgnoredFields } from '../json/json-shapes.js';
import { foldEmail } from '../text/rules.js';
import type { Digester } from './digests.js';
import { type BodyBytes, type EmployeeList, ListBuilder, Problems } from './list-builder.js';
import { type EmployeeReading, isComplete, readEmployee, canonicalBytes } from './read-employee.js';
import { giveBack, windowBytes, type ReaderModule, takeModule } from './reader-module.js';

export type EmployeeListReading =
  | {
      readonly status: 'valid';
      readonly list: EmployeeList;
      /** Absent if a proof replaced the reading. */
      readonly ignored?: IgnoredFields;
    }
  | { readonly status: 'invalid'; readonly problems: readonly string[] };

/** A list, or only the count of a valid body that is too long to be decided on now. */
export type EmployeeListCheck =
  | EmployeeListReading
  | { readonly status: 'checked'; readonly count: number; readonly ignored: IgnoredFields };

/** Numbered as `Reason` in `employee-lists/reader/list.ts`. */
const unsettledReasons = ['none', 'json', 'breach', 'rule', 'long'] as const;
export type UnsettledReason = (typeof unsettledReasons)[number];
export type OnUnsettled = (reason: UnsettledReason) => void;

/** Numbered as `Breach` in `employee-lists/reader/strict.ts`. */
const breachTexts = [
  undefined,
  breaches.nul,
  breaches.surrogate,
  breaches.repeatedName,
  breaches.forbiddenName,
  breaches.nesting,
] as const;

/** Numbered as `Stop` and `Problem` in `employee-lists/reader/list.ts`. */
const stop = { input: 1, unsettled: 2, repeated: 3, end: 4, malformed: 5, full: 6, dense: 7 } as const;
const wholeBodyProblems: Readonly<Record<number, string>> = {
  1: 'The body is empty; send a JSON array of employees',
  2: 'The body must be a JSON array of employees',
};
const malformedAt: Readonly<Record<number, string>> = {
  3: 'an element that does not end',
  6: 'no element beside a comma',
  4: 'no comma and no end of the array',
  5: 'text behind the end of the array',
};

/** Numbered as `Column` in `employee-lists/reader/repeats.ts`. */
const columns = ['EmployeeID', 'Email', 'Phonenumber'] as const;

function comparedText({ values }: EmployeeReading, column: (typeof columns)[number]): string | undefined {
  const text = values[column];
  return column === 'Email' && text !== undefined ? foldEmail(text) : text;
}

interface ListReaderOptions {
  readonly digester: Digester;
  /** Longer lists are checked without digests. */
  readonly digestBelow: number;
  /** A hint: room is made for the elements of a body of this size. */
  readonly expectedBytes: number;
  /** Returns what was fed, for the few elements that need the full rules. */
  readonly bytes: BodyBytes;
  readonly onUnsettled?: OnUnsettled | undefined;
}

/**
 * Checks the body of an employee synchronisation as it arrives, by every rule, in memory that does not grow with its text
 * (docs/contract, "Validation"). Pure: the same bytes and key give the same result for any chunks. End with `close`.
 */
export class EmployeeListReader {
  readonly #options: ListReaderOptions;
  readonly #module: ReaderModule;
  readonly #builder: ListBuilder;
  readonly #problems = new Problems();
  readonly #utf8 = new Utf8Check();
  #malformed: string | undefined;
  /** The list is malformed, or its elements are too short for a valid one: reading stops. */
  #isOver = false;

  constructor(options: ListReaderOptions) {
    const { digester, digestBelow, expectedBytes } = options;
    const expected = Math.max(16, Math.ceil(expectedBytes / 300));
    this.#options = options;
    this.#builder = new ListBuilder(Math.min(expected, Math.max(16, digestBelow)));
    this.#module = takeModule();
    this.#module.beginList(digester, expected);
  }

  /** Copies the bytes of an incomplete element. */
  feed(chunk: Uint8Array): void {
    if (!this.#utf8.push(chunk)) return;
    for (let at = 0; at < chunk.length && !this.#isOver;) {
      const length = Math.min(windowBytes, this.#module.calls.inputRoom(), chunk.length - at);
      this.#module.bytes.set(chunk.subarray(at, at + length), this.#module.calls.inputPlace());
      this.#module.calls.addInput(length);
      at += length;
      this.#read();
    }
  }

  finish(): EmployeeListCheck {
    const problem = this.#utf8.finish();
    if (problem) return { status: 'invalid', problems: [describeJsonProblem(problem)] };
    this.#module.calls.endInput();
    if (!this.#isOver) this.#read();
    if (this.#malformed !== undefined) return { status: 'invalid', problems: [this.#malformed] };
    this.#problems.count += this.#module.calls.countedProblems.value;
    if (this.#problems.count > 0) return { status: 'invalid', problems: this.#problems.list() };
    const { count } = this.#builder;
    const ignored = this.#module.ignored();
    if (count >= this.#options.digestBelow) return { status: 'checked', count, ignored };
    return { status: 'valid', list: this.#builder.list(this.#options.bytes), ignored };
  }

  /** Returns the module; no call may follow. */
  close(): void {
    giveBack(this.#module);
  }

  #read(): void {
    while (!this.#isOver) {
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
          this.#end(this.#malformedText());
          break;
        case stop.dense:
          this.#isOver = true;
          break;
        case stop.full:
          break;
        default:
          return;
      }
      this.#forget();
    }
  }

  #end(malformed: string): void {
    this.#malformed = malformed;
    this.#isOver = true;
  }

  #forget(): void {
    if (this.#problems.count === 0) return;
    this.#builder.forget();
    this.#module.calls.setDigesting(0);
    this.#module.calls.endIgnored();
    if (this.#problems.isFull) this.#module.calls.countOnly();
  }

  #collect(): void {
    const { calls, bytes, words } = this.#module;
    const builder = this.#builder;
    const more = calls.recordCount.value;
    if (more === 0 || builder.isForgotten) return;
    if (builder.isDigesting && builder.count + more >= this.#options.digestBelow) {
      builder.forgetDigests();
      calls.setDigesting(0);
    }
    builder.reserve(more);
    const from = ({ value }: { value: number }, length: number): Uint32Array =>
      words.subarray(value / 4, value / 4 + length);
    const flags = ({ value }: { value: number }): Uint8Array => bytes.subarray(value, value + more);
    builder.bounds.set(from(calls.bounds, more * 2), builder.count * 2);
    builder.withUnknown.set(flags(calls.withUnknown), builder.count);
    builder.plain.set(flags(calls.plain), builder.count);
    if (builder.isDigesting) {
      builder.ids.set(from(calls.idDigests, more * 4), builder.count * 4);
      builder.digests.set(from(calls.digests, more * 4), builder.count * 4);
    }
    builder.count += more;
  }

  #malformedText(): string {
    const { problem, problemAt } = this.#module.calls;
    const ofWholeBody = wholeBodyProblems[problem.value];
    const { elementCount } = this.#module.calls;
    return (
      ofWholeBody ?? malformedText(problemAt.value, malformedAt[problem.value] ?? '', elementCount.value)
    );
  }

  #addUnsettled(): void {
    const { calls } = this.#module;
    const element = calls.elementCount.value - 1;
    const start = calls.elementStart.value >>> 0;
    const end = calls.position() >>> 0;
    const reason = unsettledReasons[calls.unsettledReason.value] ?? 'none';
    this.#options.onUnsettled?.(reason);
    if (end - start > calls.maxElementBytes.value)
      this.#report(element, null, `must be at most ${calls.maxElementBytes.value} bytes`);
    else if (reason === 'breach')
      this.#reportBreach(element, breachTexts[calls.breach.value] ?? '', calls.breachPosition());
    else if (reason === 'json') this.#addMalformed(element, start, this.#options.bytes(start, end));
    else this.#addRead([start, end], this.#reducedElement(), calls.unknownCount.value > 0);
  }

  #reducedElement(): unknown {
    const { calls } = this.#module;
    const length = calls.reduceElement();
    return JSON.parse(this.#module.bytes.toString('utf8', calls.reduced.value, calls.reduced.value + length));
  }

  #reportBreach(element: number, what: string, at: number): void {
    this.#problems.add(() => `[${element}]: there is ${what}, at byte ${at}`);
  }

  /** The strict parser names the problem that the module found. */
  #addMalformed(element: number, start: number, bytes: Buffer): void {
    const parsed = parseStrictJson(bytes, maxJsonDepth - 1);
    if (parsed.ok) throw new Error('an element is JSON for one reader and not for the other');
    const { at, what } = parsed.problem;
    this.#end(malformedText(start + at, what, element));
  }

  #addRead(bounds: readonly [start: number, end: number], value: unknown, hasUnknown: boolean): void {
    const element = this.#module.calls.elementCount.value - 1;
    const reading = readEmployee(value);
    const id = reading.values.EmployeeID ?? null;
    for (const problem of reading.problems) this.#report(element, id, problem);
    this.#checkParsedUniques(element, id, reading);
    const builder = this.#builder;
    if (builder.isForgotten || !isComplete(reading)) return;
    this.#module.calls.countMembers();
    builder.reserve(1);
    builder.bounds.set(bounds, element * 2);
    builder.withUnknown[element] = Number(hasUnknown);
    builder.count++;
    if (!builder.isDigesting) return;
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

  #reportRepeats(): void {
    const { calls, bytes } = this.#module;
    const element = calls.elementCount.value - 1;
    const id = bytes.toString('utf8', calls.startOf(calls.idField.value), calls.endOf(calls.idField.value));
    for (const [number, column] of columns.entries()) {
      const owner = bytes.readInt32LE(calls.owners.value + number * 4);
      if (owner >= 0) this.#report(element, id, `${column} ${sameAs(owner)}`);
    }
  }

  #report(element: number, id: string | null, problem: string): void {
    this.#problems.add(() => problemText(element, id, problem));
  }
}

const sameAs = (element: number): string => `is the same as that of [${element}]`;
const problemText = (element: number, id: string | null, problem: string): string =>
  `[${element}]${id === null ? '' : ` EmployeeID '${id}'`}: ${problem}`;
const malformedText = (at: number, what: string, element: number): string =>
  `The body is not valid JSON: ${what} at byte ${at}, element [${element}]`;
