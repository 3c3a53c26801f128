import { isUtf8 } from 'node:buffer';
import { parseStrictJson } from '../json/strict-json.js';
import { foldEmail } from '../text/emails.js';
import { ByteWriter } from './byte-writer.js';
import { DigestTable, grown } from './digest-table.js';
import { Digester } from './digests.js';
import { ElementReader } from './element-reader.js';
import { field } from './fields.js';
import { JsonSkipper } from './json-skipper.js';
import { writePlainCanonical } from './plain-values.js';
import { Problems } from './problems.js';
import { type EmployeeReading, isComplete, readEmployee } from './read-employee.js';
import { TextIndex } from './text-index.js';
import { canonicalBytes } from './values.js';

/** A valid body: where its elements lie, and what they digest to. Nothing of their text is held but the body itself. */
export interface EmployeeList {
  readonly body: Buffer;
  readonly count: number;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** 1 where the element can be read by `ElementReader`. */
  readonly plain: Uint8Array;
  /** 1 where the element has members that are no fields. */
  readonly withUnknown: Uint8Array;
  /** idDigests; the index is that of the element. */
  readonly ids: DigestTable;
  /** Digests of the canonical values, four words for each element. */
  readonly digests: Uint32Array;
}

export type EmployeeListReading =
  | { readonly status: 'valid'; readonly list: EmployeeList }
  | { readonly status: 'invalid'; readonly problems: readonly string[] };

/** Longer elements than this are read the slow way, so that scratch buffers suffice for all others. */
export const maxPlainBytes = 12_000;

const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;

/** A body whose structure is broken: nothing behind the place can be trusted, so it is the only problem told. */
class Malformed extends Error {}

class ListReader {
  readonly #body: Buffer;
  readonly #digester: Digester;
  readonly #reader: ElementReader;
  readonly #skipper: JsonSkipper;
  readonly #problems = new Problems();
  readonly #canonical: ByteWriter;
  readonly #emails: TextIndex;
  readonly #phones: TextIndex;
  readonly #ids: DigestTable;
  /** The element behind each idDigest. */
  #owners: Uint32Array;
  #starts: Uint32Array;
  #ends: Uint32Array;
  #digests: Uint32Array;
  #plain: Uint8Array;
  #withUnknown: Uint8Array;
  #count = 0;
  readonly #words = new Uint32Array(4);

  constructor(body: Buffer, digester: Digester) {
    const expected = Math.max(16, Math.ceil(body.length / 300));
    this.#body = body;
    this.#digester = digester;
    this.#reader = new ElementReader(body);
    this.#skipper = new JsonSkipper(body);
    this.#canonical = new ByteWriter(digester.valuesScratch);
    this.#emails = new TextIndex(body, digester.seed);
    this.#phones = new TextIndex(body, digester.seed);
    this.#ids = new DigestTable(expected);
    this.#owners = new Uint32Array(expected);
    this.#starts = new Uint32Array(expected);
    this.#ends = new Uint32Array(expected);
    this.#digests = new Uint32Array(expected * 4);
    this.#plain = new Uint8Array(expected);
    this.#withUnknown = new Uint8Array(expected);
  }

  read(): EmployeeListReading {
    try {
      this.#array();
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      return { status: 'invalid', problems: [error.message] };
    }
    if (this.#problems.count > 0) return { status: 'invalid', problems: this.#problems.list() };
    return { status: 'valid', list: this.#list() };
  }

  #list(): EmployeeList {
    return {
      body: this.#body,
      count: this.#count,
      starts: this.#starts,
      ends: this.#ends,
      plain: this.#plain,
      withUnknown: this.#withUnknown,
      ids: this.#ids,
      digests: this.#digests,
    };
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
    if (element === this.#starts.length) this.#grow();
    this.#starts[element] = at;
    this.#ends[element] = end;
    this.#plain[element] = isPlain ? 1 : 0;
    if (isPlain) this.#addPlain(element);
    else this.#addParsed(element, at, end);
    this.#count++;
    return end;
  }

  #grow(): void {
    const length = this.#starts.length * 2;
    const flags = (array: Uint8Array): Uint8Array => {
      const copy = new Uint8Array(length);
      copy.set(array);
      return copy;
    };
    this.#owners = grown(this.#owners, length);
    this.#starts = grown(this.#starts, length);
    this.#ends = grown(this.#ends, length);
    this.#digests = grown(this.#digests, length * 4);
    this.#plain = flags(this.#plain);
    this.#withUnknown = flags(this.#withUnknown);
  }

  #addPlain(element: number): void {
    const { starts, ends } = this.#reader;
    const idStart = starts[field.EmployeeID] ?? 0;
    const idEnd = ends[field.EmployeeID] ?? 0;
    this.#withUnknown[element] = this.#reader.hasUnknown ? 1 : 0;
    const scratch = this.#digester.idScratch;
    for (let i = idStart; i < idEnd; i++) scratch[Digester.messageStart + i - idStart] = this.#body[i] ?? 0;
    const isRepeated = this.#repeats(
      element,
      this.#ownerOfId(element, Digester.messageStart + idEnd - idStart),
    );
    if (isRepeated !== null) this.#report(element, this.#plainId(), `EmployeeID ${isRepeated}`);
    this.#checkPlainContacts(element);
    this.#canonical.length = Digester.messageStart;
    writePlainCanonical(this.#reader, this.#body, this.#canonical);
    this.#digester.valuesDigest(this.#canonical.length, this.#digests, element * 4);
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

  /** The element that has this id already, or the element itself. */
  #ownerOfId(element: number, end: number): number {
    this.#digester.idDigest(end, this.#words, 0);
    const before = this.#ids.count;
    const index = this.#ids.insert(this.#words, 0);
    if (this.#ids.count === before) return this.#owners[index] ?? 0;
    this.#owners[index] = element;
    return element;
  }

  #repeats(element: number, owner: number): string | null {
    return owner === element ? null : sameAs(owner);
  }

  #addParsed(element: number, start: number, end: number): void {
    const bytes = this.#body.subarray(start, end);
    const parsed = parseStrictJson(bytes);
    if (!parsed.ok) {
      const { at, what } = parsed.problem;
      if (!isJson(bytes)) throw this.#malformed(start + at, what);
      this.#problems.add(`[${element}]: there is ${what}, at byte ${start + at}`);
      return;
    }
    const reading = readEmployee(parsed.value);
    this.#withUnknown[element] = reading.ignored.length > 0 ? 1 : 0;
    const id = reading.values.EmployeeID ?? null;
    for (const problem of reading.problems) this.#report(element, id, problem);
    this.#checkParsedUniques(element, reading);
    if (isComplete(reading)) {
      this.#digester.valuesDigestOf(canonicalBytes(reading.values), this.#digests, element * 4);
    }
  }

  #checkParsedUniques(element: number, { values }: EmployeeReading): void {
    const id = values.EmployeeID ?? null;
    if (id !== null) {
      const length = Buffer.from(this.#digester.idScratch.buffer).write(id, Digester.messageStart);
      const isRepeated = this.#repeats(element, this.#ownerOfId(element, Digester.messageStart + length));
      if (isRepeated !== null) this.#report(element, id, `EmployeeID ${isRepeated}`);
    }
    const email = values.Email === undefined ? -1 : this.#emails.addText(element, foldEmail(values.Email));
    if (email >= 0) this.#report(element, id, `Email ${sameAs(email)}`);
    const phone = values.Phonenumber === undefined ? -1 : this.#phones.addText(element, values.Phonenumber);
    if (phone >= 0) this.#report(element, id, `Phonenumber ${sameAs(phone)}`);
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
  return new ListReader(Buffer.from(body.buffer, body.byteOffset, body.byteLength), digester).read();
}
