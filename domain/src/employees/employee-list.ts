import { isUtf8 } from 'node:buffer';
import type { JsonProblem } from '../json/json-scanner.js';
import { parseStrictJson } from '../json/strict-json.js';
import { foldEmail } from '../text/emails.js';
import { ByteWriter } from './byte-writer.js';
import { Digester } from './digests.js';
import { ElementReader } from './element-reader.js';
import { field } from './fields.js';
import { JsonSkipper } from './json-skipper.js';
import { type EmployeeList, ListBuilder } from './list-builder.js';
import { writePlainCanonical } from './plain-values.js';
import { Problems } from './problems.js';
import { type EmployeeReading, isComplete, readEmployee } from './read-employee.js';
import { TextIndex } from './text-index.js';
import { canonicalBytes } from './values.js';

export type EmployeeListReading =
  | { readonly status: 'valid'; readonly list: EmployeeList }
  | { readonly status: 'invalid'; readonly problems: readonly string[] };

/** What a check gives: a list, or the count of a valid body that is too long to be decided on now. */
export type EmployeeListCheck = EmployeeListReading | { readonly status: 'checked'; readonly count: number };

/** Longer elements than this are read the slow way, so that scratch buffers suffice for all others. */
export const maxPlainBytes = 12_000;

/** No employee with all that is allowed comes near; read in full, a larger element would take memory many times its size. */
const maxElementBytes = 1024 * 1024;

const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;

/** A body whose structure is broken: nothing behind the place can be trusted, so it is the only problem told. */
class Malformed extends Error {}

class ListReader {
  readonly #body: Buffer;
  readonly #reader: ElementReader;
  readonly #skipper: JsonSkipper;
  readonly #problems = new Problems();
  readonly #canonical: ByteWriter;
  readonly #emails: TextIndex;
  readonly #phones: TextIndex;
  readonly #digestBelow: number;
  /** Undefined from `digestBelow` elements on. */
  #builder: ListBuilder | undefined;
  /** Finds repeated EmployeeIDs where not all of them are digested. */
  readonly #ids: TextIndex | undefined;
  #count = 0;

  constructor(body: Buffer, digester: Digester, digestBelow: number) {
    const expected = Math.max(16, Math.ceil(body.length / 300));
    this.#body = body;
    this.#reader = new ElementReader(body);
    this.#skipper = new JsonSkipper(body);
    this.#canonical = new ByteWriter(digester.valuesScratch);
    const { seed } = digester;
    this.#emails = new TextIndex(body, { seed, expected });
    this.#phones = new TextIndex(body, { seed, expected });
    this.#digestBelow = digestBelow;
    this.#builder = new ListBuilder(digester, Math.min(expected, Math.max(16, digestBelow)));
    this.#ids = Number.isFinite(digestBelow)
      ? new TextIndex(body, { seed, expected, comparison: 'exact' })
      : undefined;
  }

  read(): EmployeeListCheck {
    try {
      this.#array();
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      return { status: 'invalid', problems: [error.message] };
    }
    if (this.#problems.count > 0) return { status: 'invalid', problems: this.#problems.list() };
    const list = this.#count < this.#digestBelow ? this.#builder?.list(this.#body, this.#count) : undefined;
    return list ? { status: 'valid', list } : { status: 'checked', count: this.#count };
  }

  #array(): void {
    if (!isUtf8(this.#body)) throw new Malformed('The body is not valid UTF-8');
    let at = this.#skipper.space(0);
    if (at === this.#body.length) throw new Malformed('The body is empty; send a JSON array of employees');
    if (this.#body[at] !== openBracket) throw new Malformed('The body must be a JSON array of employees');
    at = this.#skipper.space(at + 1);
    if (this.#body[at] === closeBracket) return this.#nothingBehind(at);
    for (;;) {
      at = this.#skipper.space(this.#element(at));
      if (this.#body[at] === closeBracket) return this.#nothingBehind(at);
      if (this.#body[at] !== comma) throw this.#malformed(at, 'no comma and no end of the array');
      at = this.#skipper.space(at + 1);
    }
  }

  #nothingBehind(closing: number): void {
    const at = this.#skipper.space(closing + 1);
    if (at !== this.#body.length) throw this.#malformed(at, 'text behind the end of the array');
  }

  #malformed(at: number, what: string): Malformed {
    return new Malformed(`The body is not valid JSON: ${what} at byte ${at}, element [${this.#count}]`);
  }

  /** Reads the element at `at`; the position behind it. */
  #element(at: number): number {
    const isPlain =
      this.#body[at] === 0x7b && this.#reader.read(at) && this.#reader.position - at <= maxPlainBytes;
    const end = isPlain ? this.#reader.position : this.#skipper.value(at);
    if (end < 0) throw this.#malformed(at, 'an element that does not end');
    const element = this.#count;
    if (element >= this.#digestBelow) this.#builder = undefined;
    this.#builder?.add(element, { start: at, end, isPlain });
    if (isPlain) this.#addPlain(element);
    else this.#addOther(element, at, end);
    this.#count++;
    return end;
  }

  #addPlain(element: number): void {
    const { starts, ends, hasUnknown } = this.#reader;
    if (hasUnknown) this.#builder?.markUnknown(element);
    const owner = this.#plainIdOwner(element, starts[field.EmployeeID] ?? 0, ends[field.EmployeeID] ?? 0);
    if (owner >= 0) this.#report(element, this.#plainId(), `EmployeeID ${sameAs(owner)}`);
    this.#checkPlainContacts(element);
    if (!this.#builder) return;
    this.#canonical.length = Digester.messageStart;
    writePlainCanonical(this.#reader, this.#body, this.#canonical);
    this.#builder.addValues(element, this.#canonical.length);
  }

  #plainIdOwner(element: number, start: number, end: number): number {
    const owner = this.#builder?.addIdAt(element, this.#body, start, end) ?? -1;
    return this.#ids ? this.#ids.addRange(element, start, end) : owner;
  }

  #plainId(): string {
    const { starts, ends } = this.#reader;
    return this.#body.toString('utf8', starts[field.EmployeeID], ends[field.EmployeeID]);
  }

  #checkPlainContacts(element: number): void {
    const { starts, ends } = this.#reader;
    const email = this.#plainEmailOwner(element);
    if (email >= 0) this.#report(element, this.#plainId(), `Email ${sameAs(email)}`);
    const start = starts[field.Phonenumber] ?? -1;
    if (start < 0) return;
    const phone = this.#phones.addRange(element, start, ends[field.Phonenumber] ?? 0);
    if (phone >= 0) this.#report(element, this.#plainId(), `Phonenumber ${sameAs(phone)}`);
  }

  #plainEmailOwner(element: number): number {
    const { starts, ends, emailIsWide } = this.#reader;
    const start = starts[field.Email] ?? 0;
    const end = ends[field.Email] ?? 0;
    if (!emailIsWide) return this.#emails.addRange(element, start, end);
    const email = this.#body.toString('utf8', start, end);
    const folded = foldEmail(email);
    return folded === email
      ? this.#emails.addRange(element, start, end)
      : this.#emails.addText(element, folded);
  }

  #addOther(element: number, start: number, end: number): void {
    if (end - start <= maxElementBytes) this.#addParsed(element, start, end);
    else this.#report(element, null, `must be at most ${maxElementBytes} bytes`);
  }

  #addParsed(element: number, start: number, end: number): void {
    const bytes = this.#body.subarray(start, end);
    const parsed = parseStrictJson(bytes);
    if (!parsed.ok) return this.#reportUnparsed(element, start, parsed.problem, isJson(bytes));
    const reading = readEmployee(parsed.value);
    if (reading.ignored.length > 0) this.#builder?.markUnknown(element);
    const id = reading.values.EmployeeID ?? null;
    for (const problem of reading.problems) this.#report(element, id, problem);
    this.#checkParsedUniques(element, reading);
    if (isComplete(reading)) this.#builder?.addCanonical(element, canonicalBytes(reading.values));
  }

  #reportUnparsed(element: number, start: number, { at, what }: JsonProblem, isJsonText: boolean): void {
    if (!isJsonText) throw this.#malformed(start + at, what);
    this.#problems.add(`[${element}]: there is ${what}, at byte ${start + at}`);
  }

  #checkParsedUniques(element: number, { values }: EmployeeReading): void {
    const id = values.EmployeeID ?? null;
    const owner = id === null ? -1 : this.#parsedIdOwner(element, id);
    if (owner >= 0) this.#report(element, id, `EmployeeID ${sameAs(owner)}`);
    const email = values.Email === undefined ? -1 : this.#emails.addText(element, foldEmail(values.Email));
    if (email >= 0) this.#report(element, id, `Email ${sameAs(email)}`);
    const phone = values.Phonenumber === undefined ? -1 : this.#phones.addText(element, values.Phonenumber);
    if (phone >= 0) this.#report(element, id, `Phonenumber ${sameAs(phone)}`);
  }

  #parsedIdOwner(element: number, id: string): number {
    const owner = this.#builder?.addId(element, id) ?? -1;
    return this.#ids ? this.#ids.addText(element, id) : owner;
  }

  #report(element: number, id: string | null, problem: string): void {
    this.#problems.add(`[${element}]${id === null ? '' : ` EmployeeID '${id}'`}: ${problem}`);
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

/**
 * Reads and checks the body of an employee synchronisation, every element and every rule, in memory that does not grow
 * with its text (docs/contract, "Validation"). Pure: the same bytes and key give the same result.
 */
export function readEmployeeList(body: Uint8Array, digester: Digester): EmployeeListReading {
  const check = checkEmployeeList(body, digester, Number.POSITIVE_INFINITY);
  if (check.status === 'checked') throw new Error('a list of any length is read');
  return check;
}

/**
 * The same checks, and the list only where it has fewer elements than `digestBelow`: what will not be decided on now need
 * not be digested.
 */
export const checkEmployeeList = (
  body: Uint8Array,
  digester: Digester,
  digestBelow: number,
): EmployeeListCheck =>
  new ListReader(Buffer.from(body.buffer, body.byteOffset, body.byteLength), digester, digestBelow).read();
