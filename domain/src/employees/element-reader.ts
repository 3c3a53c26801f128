/* eslint-disable complexity -- a tokenizer: a branch for each byte that JSON allows at a place, on the hottest path */
import { isEmailAddress } from '../text/emails.js';
import { isBirthday, isUtcDate } from '../text/dates.js';
import { field, fieldCount, fieldNames, mirroredFields, textRules } from './fields.js';
import { JsonSkipper } from './json-skipper.js';
import { PlainDimensions } from './plain-dimensions.js';
import { isPlainEmail } from './plain-email.js';
import { hasInk, PlainText, sameBytes } from './plain-text.js';

const quote = 0x22;
const colon = 0x3a;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const maxUnknown = 16;
/** Members whose order is remembered. */
const maxExpected = 40;

const encoder = new TextEncoder();
const names = fieldNames.map((name) => encoder.encode(name));
const quotedNames = fieldNames.map((name) => encoder.encode(`"${name}"`));
const mirroredIndexes = new Set(mirroredFields.map((name) => field[name]));

/** A perfect hash of the field names over length, first and last byte; checked when the module loads. */
const nameSlot = (length: number, first: number, last: number): number =>
  ((length & 31) << 10) | ((first & 31) << 5) | (last & 31);
const fieldBySlot = new Int8Array(1 << 15).fill(-1);
names.forEach((name, index) => {
  const slot = nameSlot(name.length, name[0] ?? 0, name[name.length - 1] ?? 0);
  if (fieldBySlot[slot] !== -1) throw new Error('two field names share a slot');
  fieldBySlot[slot] = index;
});

const limits = new Uint16Array(fieldCount).fill(254);
const required: number[] = [field.Email, field.EmploymentStatus];
for (const [name, rule] of Object.entries(textRules)) {
  const index = field[name as keyof typeof textRules];
  limits[index] = rule.maxLength;
  if (rule.required) required.push(index);
}
const requiredMask = required.reduce((mask, index) => mask | (1 << index), 0);
const notBlank = [field.EmployeeID, field.Firstname, field.Lastname];

/**
 * Reads one employee straight from the bytes of the body, without strings or objects. It accepts only what is valid
 * and plain: no escapes, no repeated member, no value of a wrong type. Whatever it does not accept is read again by
 * `readEmployee`, which alone knows all rules and their messages; a property test holds the two together.
 */
export class ElementReader {
  /** Where each field's text (without quotes) or number lies in the body; `starts[i]` is -1 where it is absent. */
  readonly starts = new Int32Array(fieldCount);
  readonly ends = new Int32Array(fieldCount);
  /** The Dimensions that are stored. */
  readonly dimensions: PlainDimensions;
  /** Behind the element, after `read` answered true. */
  position = 0;
  /** Fields that have a value, and fields that were named, with null too. */
  #seen = 0;
  #named = 0;
  readonly #unknown = new Int32Array(maxUnknown * 2);
  #unknownCount = 0;
  /** The field of each member of the last element, -1 for unknown ones; and how many members this element had so far. */
  readonly #order = new Int8Array(maxExpected + 1).fill(-1);
  #members = 0;
  readonly #bytes: Buffer;
  readonly #skipper: JsonSkipper;
  readonly #text: PlainText;
  #emailIsWide = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#skipper = new JsonSkipper(bytes);
    this.#text = new PlainText(bytes);
    this.dimensions = new PlainDimensions(bytes, this.#text, this.#skipper);
  }

  /** Whether a member has no place among the fields. */
  get hasUnknown(): boolean {
    return this.#unknownCount > 0;
  }

  /** Whether the e-mail address has letters beyond ASCII (it must be folded before it is compared). */
  get emailIsWide(): boolean {
    return this.#emailIsWide;
  }

  /** True where a plain, valid employee begins at `start`; `start` is the position of its opening brace. */
  read(start: number): boolean {
    this.starts.fill(-1);
    this.dimensions.count = 0;
    this.#unknownCount = 0;
    this.#emailIsWide = false;
    this.#seen = 0;
    this.#named = 0;
    this.#members = 0;
    let at = this.#skipper.space(start + 1);
    for (;;) {
      at = this.#member(at);
      if (at < 0) return false;
      const byte = this.#bytes[at];
      if (byte === closeBrace) break;
      if (byte !== comma) return false;
      at = this.#skipper.space(at + 1);
    }
    this.position = at + 1;
    return this.#isWhole();
  }

  #isWhole(): boolean {
    if ((this.#seen & requiredMask) !== requiredMask) return false;
    for (const index of notBlank)
      if (!hasInk(this.#bytes, this.starts[index] as number, this.ends[index] as number)) return false;
    return this.#settleMirrors();
  }

  /** Reads `"name": value` and the space behind it. -1: not plain. */
  #member(at: number): number {
    // Elements of one body mostly have their members in one order: the field that came here last is tried first.
    const expected = this.#order[this.#members] as number;
    let index = expected;
    let next = this.#expectedName(expected, at);
    if (next < 0) {
      if (this.#bytes[at] !== quote) return -1;
      const nameEnd = this.#text.end(at + 1);
      if (nameEnd < 0) return -1;
      index = this.#fieldAt(at + 1, nameEnd);
      if (index < 0 && !this.#rememberUnknown(at + 1, nameEnd)) return -1;
      this.#order[this.#members] = index;
      next = nameEnd + 1;
    }
    if (this.#members < maxExpected) this.#members++;
    next = this.#skipper.space(next);
    if (this.#bytes[next] !== colon) return -1;
    next = this.#skipper.space(next + 1);
    next = index < 0 ? this.#unknownValue(next) : this.#value(index, next);
    return next < 0 ? -1 : this.#skipper.space(next);
  }

  /** Behind the quoted name of this field, or -1 where another one stands. */
  #expectedName(index: number, at: number): number {
    if (index < 0) return -1;
    const bytes = this.#bytes;
    const name = quotedNames[index] as Uint8Array;
    for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name[i]) return -1;
    return at + name.length;
  }

  /** Behind a value that is no field's. Nested ones may hold forbidden names further down: they are not plain. */
  #unknownValue(at: number): number {
    const byte = this.#bytes[at] ?? 0;
    if (byte === openBrace || byte === openBracket) return -1;
    if (byte !== quote) return this.#skipper.scalar(at);
    const end = this.#text.end(at + 1);
    return end < 0 ? -1 : end + 1;
  }

  /** False where the name came before, or where it could reach for an object's prototype: both have a message. */
  #rememberUnknown(start: number, end: number): boolean {
    const first = this.#bytes[start];
    if (end - start >= 9 && (first === 0x5f || first === 0x63)) return false;
    if (this.#unknownCount === maxUnknown) return false;
    for (let i = 0; i < this.#unknownCount * 2; i += 2) {
      if (sameBytes(this.#bytes, start, end, this.#unknown[i] ?? 0, this.#unknown[i + 1] ?? 0)) return false;
    }
    this.#unknown[this.#unknownCount * 2] = start;
    this.#unknown[this.#unknownCount * 2 + 1] = end;
    this.#unknownCount++;
    return true;
  }

  #fieldAt(start: number, end: number): number {
    const bytes = this.#bytes;
    const length = end - start;
    if (length > 31 || length === 0) return -1;
    const index = fieldBySlot[nameSlot(length, bytes[start] ?? 0, bytes[end - 1] ?? 0)] ?? -1;
    return index >= 0 && this.#equals(start, end, names[index]) ? index : -1;
  }

  #equals(start: number, end: number, other: Uint8Array | undefined): boolean {
    if (other?.length !== end - start) return false;
    const bytes = this.#bytes;
    for (let i = 0; i < other.length; i++) if (bytes[start + i] !== other[i]) return false;
    return true;
  }

  #value(index: number, at: number): number {
    const bit = 1 << index;
    if ((this.#named & bit) !== 0) return -1;
    this.#named |= bit;
    const byte = this.#bytes[at];
    if (byte === 0x6e) return (requiredMask & bit) === 0 ? this.#skipper.scalar(at) : -1;
    this.#seen |= bit;
    if (index === field.Dimensions) return byte === openBrace ? this.dimensions.read(at + 1) : -1;
    if (index === field.Gender || index === field.EmploymentStatus) return this.#code(index, at);
    return byte === quote ? this.#textField(index, at + 1) : -1;
  }

  #textField(index: number, start: number): number {
    const end = this.#text.end(start);
    if (end < 0 || this.#text.points > (limits[index] ?? 0)) return -1;
    this.starts[index] = start;
    this.ends[index] = end;
    return this.#followsRule(index, start, end) ? end + 1 : -1;
  }

  #followsRule(index: number, start: number, end: number): boolean {
    switch (index) {
      case field.Email:
        this.#emailIsWide = this.#text.wide;
        return (
          isPlainEmail(this.#bytes, start, end) || isEmailAddress(this.#bytes.toString('utf8', start, end))
        );
      case field.Phonenumber:
        return this.#isPhone(start, end);
      case field.Birthday:
        // A fraction of a second may have a canonical form other than the one sent.
        return end - start <= 20 && isBirthday(this.#bytes.toString('latin1', start, end));
      case field.InvitationDate:
        return isUtcDate(this.#bytes.toString('latin1', start, end));
      default:
        return true;
    }
  }

  #isPhone(start: number, end: number): boolean {
    const digits = end - start - 1;
    if (digits < 6 || digits > 20 || this.#bytes[start] !== 0x2b) return false;
    for (let i = start + 1; i < end; i++) {
      const byte = this.#bytes[i] ?? 0;
      if (byte < 0x30 || byte > 0x39) return false;
    }
    return true;
  }

  /** Gender 0, 1, 9 or EmploymentStatus 0, 1: one digit, and no part of a longer number. */
  #code(index: number, at: number): number {
    const digit = (this.#bytes[at] ?? 0) - 0x30;
    const known = digit === 0 || digit === 1 || (digit === 9 && index === field.Gender);
    const next = this.#bytes[at + 1] ?? 0;
    if (!known || !(next === comma || next === closeBrace || next <= 0x20)) return -1;
    this.starts[index] = at;
    this.ends[index] = at + 1;
    return at + 1;
  }

  /** Drops dimensions that repeat a field; false where one contradicts it. */
  #settleMirrors(): boolean {
    const { ranges } = this.dimensions;
    this.dimensions.dropNulls();
    for (let i = this.dimensions.count - 1; i >= 0; i--) {
      const mirrored = this.#fieldAt(ranges[i * 4] as number, ranges[i * 4 + 1] as number);
      if (!mirroredIndexes.has(mirrored)) continue;
      const start = this.starts[mirrored] as number;
      const end = this.ends[mirrored] as number;
      const value = ranges[i * 4 + 2] as number;
      if (start < 0 || !sameBytes(this.#bytes, start, end, value, ranges[i * 4 + 3] as number)) return false;
      this.dimensions.remove(i);
    }
    return true;
  }
}
