import { isEmailAddress } from '../text/emails.js';
import { isBirthday, isUtcDate } from '../text/dates.js';
import { isPlainEmail } from './plain-email.js';
import { field, fieldCount, fieldNames, maxDimensionValueLength, mirroredFields, textRules } from './fields.js';
import { JsonSkipper } from './json-skipper.js';

const quote = 0x22;
const colon = 0x3a;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const maxDimensions = 32;
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

/** What a byte means inside a text. */
const plainByte = 0;
const quoteByte = 1;
const badByte = 2;
const leadByte = 3;
const innerByte = 4;
const byteKinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === quote) return quoteByte;
  if (byte < 0x20 || byte === 0x5c) return badByte;
  if (byte < 0x80) return plainByte;
  return byte < 0xc0 ? innerByte : leadByte;
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
  /** Dimensions that are stored, sorted by name: where each name and value lies. */
  readonly dimensions = new Int32Array(maxDimensions * 4);
  dimensionCount = 0;
  /** Behind the element, after `read` answered true. */
  position = 0;
  /** Bytes behind 0x7F in the last text. */
  #wide = false;
  #points = 0;
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
  #emailIsWide = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#skipper = new JsonSkipper(bytes);
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
    this.dimensionCount = 0;
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
    for (const index of notBlank) if (!this.#hasInk(index)) return false;
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
      const nameEnd = this.#text(at + 1);
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
    const end = this.#text(at + 1);
    return end < 0 ? -1 : end + 1;
  }

  /** False where the name came before, or where it could reach for an object's prototype: both have a message. */
  #rememberUnknown(start: number, end: number): boolean {
    const first = this.#bytes[start];
    if (end - start >= 9 && (first === 0x5f || first === 0x63)) return false;
    if (this.#unknownCount === maxUnknown) return false;
    for (let i = 0; i < this.#unknownCount * 2; i += 2) {
      if (this.#sameBytes(start, end, this.#unknown[i] ?? 0, this.#unknown[i + 1] ?? 0)) return false;
    }
    this.#unknown[this.#unknownCount * 2] = start;
    this.#unknown[this.#unknownCount * 2 + 1] = end;
    this.#unknownCount++;
    return true;
  }

  #sameBytes(start: number, end: number, otherStart: number, otherEnd: number): boolean {
    if (end - start !== otherEnd - otherStart) return false;
    for (let i = 0; i < end - start; i++) {
      if (this.#bytes[start + i] !== this.#bytes[otherStart + i]) return false;
    }
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
    if (index === field.Dimensions) return byte === openBrace ? this.#readDimensions(at + 1) : -1;
    if (index === field.Gender || index === field.EmploymentStatus) return this.#code(index, at);
    return byte === quote ? this.#textField(index, at + 1) : -1;
  }

  #textField(index: number, start: number): number {
    const end = this.#text(start);
    if (end < 0 || this.#points > (limits[index] ?? 0)) return -1;
    this.starts[index] = start;
    this.ends[index] = end;
    return this.#followsRule(index, start, end) ? end + 1 : -1;
  }

  #followsRule(index: number, start: number, end: number): boolean {
    switch (index) {
      case field.Email:
        this.#emailIsWide = this.#wide;
        return isPlainEmail(this.#bytes, start, end) || isEmailAddress(this.#bytes.toString('utf8', start, end));
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

  /** Scans a text without escapes; the position of its closing quote, or -1. */
  #text(start: number): number {
    const bytes = this.#bytes;
    const length = bytes.length;
    let inner = 0;
    let wide = 0;
    let at = start;
    for (; at < length; at++) {
      const kind = byteKinds[bytes[at] as number] as number;
      if (kind === plainByte) continue;
      if (kind === quoteByte) break;
      if (kind === badByte) return -1;
      wide = 1;
      if (kind === innerByte) inner++;
    }
    this.#wide = wide > 0;
    this.#points = at - start - inner;
    return at < length ? at : -1;
  }

  /** Whether a text has a visible ASCII character. Others are left to the rule in full. */
  #hasInk(index: number): boolean {
    for (let i = this.starts[index] ?? 0; i < (this.ends[index] ?? 0); i++) {
      const byte = this.#bytes[i] ?? 0;
      if (byte > 0x20 && byte < 0x7f) return true;
      // Every letter of 2 bytes but NBSP; white space of 3 bytes begins with E1, E2, E3 or EF.
      if (byte > 0xc2 && byte < 0xe0) return true;
      if (byte >= 0xe4 && byte !== 0xef) return true;
    }
    return false;
  }

  #readDimensions(start: number): number {
    let at = this.#skipper.space(start);
    if (this.#bytes[at] === closeBrace) return at + 1;
    for (;;) {
      at = this.#dimension(at);
      if (at < 0) return -1;
      at = this.#skipper.space(at);
      if (this.#bytes[at] === closeBrace) return at + 1;
      if (this.#bytes[at] !== comma) return -1;
      at = this.#skipper.space(at + 1);
    }
  }

  #dimension(at: number): number {
    if (this.#bytes[at] !== quote) return -1;
    const nameEnd = this.#text(at + 1);
    // Beyond U+DFFF the order of bytes is not the order of code units; "_" could be `__proto__`.
    if (nameEnd < 0 || this.#bytes[at + 1] === 0x5f || this.#hasHighByte(at + 1, nameEnd)) return -1;
    let next = this.#skipper.space(nameEnd + 1);
    if (this.#bytes[next] !== colon) return -1;
    next = this.#skipper.space(next + 1);
    if (this.#bytes[next] !== quote) return -1;
    const valueEnd = this.#text(next + 1);
    if (valueEnd < 0 || this.#points > maxDimensionValueLength) return -1;
    return this.#insertDimension([at + 1, nameEnd, next + 1, valueEnd]) ? valueEnd + 1 : -1;
  }

  #hasHighByte(start: number, end: number): boolean {
    for (let i = start; i < end; i++) if ((this.#bytes[i] ?? 0) >= 0xee) return true;
    return false;
  }

  /** Keeps the dimensions sorted by name; false where there are too many, or one comes twice. */
  #insertDimension(entry: readonly [number, number, number, number]): boolean {
    if (this.dimensionCount === maxDimensions) return false;
    let place = this.dimensionCount;
    for (; place > 0; place--) {
      const order = this.#compareNames(entry[0], entry[1], (place - 1) * 4);
      if (order === 0) return false;
      if (order > 0) break;
      this.dimensions.copyWithin(place * 4, (place - 1) * 4, place * 4);
    }
    this.dimensions.set(entry, place * 4);
    this.dimensionCount++;
    return true;
  }

  #compareNames(start: number, end: number, other: number): number {
    const otherStart = this.dimensions[other] ?? 0;
    const otherEnd = this.dimensions[other + 1] ?? 0;
    const length = Math.min(end - start, otherEnd - otherStart);
    for (let i = 0; i < length; i++) {
      const difference = (this.#bytes[start + i] ?? 0) - (this.#bytes[otherStart + i] ?? 0);
      if (difference !== 0) return difference;
    }
    return end - start - (otherEnd - otherStart);
  }

  /** Drops dimensions that repeat a field; false where one contradicts it. */
  #settleMirrors(): boolean {
    for (let i = this.dimensionCount - 1; i >= 0; i--) {
      const entry = i * 4;
      const mirrored = this.#fieldAt(this.dimensions[entry] ?? 0, this.dimensions[entry + 1] ?? 0);
      if (!mirroredIndexes.has(mirrored)) continue;
      if (!this.#sameText(mirrored, entry)) return false;
      this.dimensions.copyWithin(entry, entry + 4, this.dimensionCount * 4);
      this.dimensionCount--;
    }
    return true;
  }

  #sameText(index: number, entry: number): boolean {
    const start = this.starts[index] ?? -1;
    if (start < 0) return false;
    return this.#sameBytes(start, this.ends[index] ?? 0, this.dimensions[entry + 2] ?? 0, this.dimensions[entry + 3] ?? 0);
  }
}
