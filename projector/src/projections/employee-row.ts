import type { EmployeeValues } from '@rollcall/contracts';
import { bytesOf, ByteWriter, ElementReader, field, mirroredFields, readFullElement } from '@rollcall/domain';
import { longestEntry, shortenedValues } from './long-dimensions.js';
import type { JsonArena } from './json-arena.js';

/** A new or changed employee as its documents want it. */
export interface EmployeeRow {
  readonly number: number;
  /** The EmployeeID, NUL, the number: sorts as the EmployeeID does, because NUL is in none and before every character. */
  readonly orderKey: string;
  /** JSON text: the element of GET employees. */
  readonly json: Uint8Array;
}

const valuesMark = Buffer.from('"values":');
/** Behind `{"number":`. */
const numberStart = 10;
const quote = 0x22;
const comma = 0x2c;
const closeBrace = 0x7d;
const text = {
  id: bytesOf('{"Id":'),
  dimensions: bytesOf(',"Dimensions":{'),
  betweenNameAndValue: bytesOf('":"'),
  invitationDate: bytesOf(',"InvitationDate":"'),
  fullname: bytesOf(',"Fullname":"'),
  externalId: bytesOf(',"ExternalId":"'),
  contactNumber: bytesOf(',"ContactNumber":"'),
  end: bytesOf(',"SourcedFromExternalSystem":true,"Locked":false,"FirstInvitationDate":null}'),
};
const mirrored = mirroredFields.map((name) => ({ prefix: bytesOf(`"${name}":"`), index: field[name] }));

/** Room that a row takes besides what is copied from its entry, which is copied three times at most. */
const roomFor = (entryBytes: number): number => entryBytes * 3 + 512;

/**
 * Makes elements of `GET /v1.0/Company/{companyId}/Employee` from entries of `EmployeeSetReplaced` (docs/contract,
 * "Employees"). Values that the reader of bodies accepts as they lie are valid by the catalogue and are copied as bytes;
 * all others are parsed and checked. Both ways give the same text. A reader serves one chunk of entries.
 */
export class EmployeeRows {
  readonly #companyId: number;
  #bytes: Buffer | undefined;
  #reader = new ElementReader(Buffer.alloc(0));
  readonly #company: Uint8Array;
  readonly #arena: JsonArena;
  #out = new ByteWriter(new Uint8Array(0));
  readonly #scratch = new ByteWriter(new Uint8Array(256));

  constructor(companyId: number, arena: JsonArena) {
    this.#companyId = companyId;
    this.#company = bytesOf(`,"CompanyId":${companyId},`);
    this.#arena = arena;
  }

  row(kind: 'added' | 'changed', bytes: Buffer, start: number, end: number): EmployeeRow {
    if (this.#bytes !== bytes) {
      this.#bytes = bytes;
      this.#reader = new ElementReader(bytes);
    }
    const values = bytes.indexOf(valuesMark, start) + valuesMark.length;
    if (end - start > longestEntry || !this.#isPlain(values, end))
      return this.#parsedRow(kind, bytes, start, end);
    this.#out = this.#arena.writer(roomFor(end - start));
    const number = Number.parseInt(
      bytes.toString('latin1', start + numberStart, start + numberStart + 17),
      10,
    );
    return { number, orderKey: this.#orderKey(number, bytes), json: this.#plainRow(number, bytes, values) };
  }

  /** Made in one go: a text that is joined from two is slow to sort. */
  #orderKey(number: number, bytes: Buffer): string {
    const out = this.#scratch;
    out.length = 0;
    out.range(bytes, this.#start(field.EmployeeID), this.#end(field.EmployeeID));
    out.byte(0);
    out.ascii(String(number));
    return out.buffer.toString('utf8', 0, out.length);
  }

  /** Whether the values are plain and stand in the order in which they are written: they can be copied as they lie. */
  #isPlain(values: number, end: number): boolean {
    const reader = this.#reader;
    if (values >= end || !reader.read(values) || reader.position !== end - 1 || reader.hasUnknown)
      return false;
    let last = 0;
    for (const start of reader.starts) {
      if (start < 0) continue;
      if (start < last) return false;
      last = start;
    }
    return true;
  }

  #plainRow(number: number, bytes: Buffer, values: number): Uint8Array {
    const out = this.#out;
    const begin = out.length;
    out.bytes(text.id);
    out.ascii(String(number));
    out.bytes(this.#company);
    out.range(bytes, values + 1, this.#endOfPlainFields());
    this.#plainDimensions(bytes);
    this.#copy(bytes, text.invitationDate, field.InvitationDate);
    out.bytes(text.fullname);
    out.range(bytes, this.#start(field.Firstname), this.#end(field.Firstname));
    out.byte(0x20);
    out.range(bytes, this.#start(field.Lastname), this.#end(field.Lastname));
    out.byte(quote);
    this.#copy(bytes, text.externalId, field.EmployeeID);
    this.#copy(bytes, text.contactNumber, field.Phonenumber);
    out.bytes(text.end);
    return out.buffer.subarray(begin, out.length);
  }

  #start(index: number): number {
    return this.#reader.starts[index] ?? -1;
  }

  #end(index: number): number {
    return this.#reader.ends[index] ?? 0;
  }

  /** Behind the last member in front of the Dimensions. */
  #endOfPlainFields(): number {
    for (let index = field.Dimensions - 1; index > field.EmploymentStatus; index--) {
      if (this.#start(index) >= 0) return this.#end(index) + 1;
    }
    return this.#end(field.EmploymentStatus);
  }

  #copy(bytes: Buffer, prefix: Uint8Array, index: number): void {
    if (this.#start(index) < 0) return;
    this.#out.bytes(prefix);
    this.#out.range(bytes, this.#start(index), this.#end(index));
    this.#out.byte(quote);
  }

  #plainDimensions(bytes: Buffer): void {
    const out = this.#out;
    out.bytes(text.dimensions);
    const begin = out.length;
    this.#storedDimensions(bytes);
    for (const { prefix, index } of mirrored) {
      if (this.#start(index) >= 0 && out.length > begin) out.byte(comma);
      this.#copy(bytes, prefix, index);
    }
    out.byte(closeBrace);
  }

  #storedDimensions(bytes: Buffer): void {
    const { ranges, count } = this.#reader.dimensions;
    const out = this.#out;
    for (let entry = 0; entry < count * 4; entry += 4) {
      if (entry > 0) out.byte(comma);
      out.byte(quote);
      out.range(bytes, ranges[entry] ?? 0, ranges[entry + 1] ?? 0);
      out.bytes(text.betweenNameAndValue);
      out.range(bytes, ranges[entry + 2] ?? 0, ranges[entry + 3] ?? 0);
      out.byte(quote);
    }
  }

  #parsedRow(kind: 'added' | 'changed', bytes: Buffer, start: number, end: number): EmployeeRow {
    const entry = readFullElement(kind, bytes, start, end);
    if (entry.kind === 'left') throw new TypeError('an entry that left has no row');
    const values = end - start > longestEntry ? shortenedValues(entry.values) : entry.values;
    const document = rowDocument(this.#companyId, entry.number, values);
    return {
      number: entry.number,
      orderKey: `${entry.values.EmployeeID}\0${entry.number}`,
      json: Buffer.from(JSON.stringify(document)),
    };
  }
}

/** The same row from parsed values. */
export function rowDocument(
  companyId: number,
  number: number,
  values: EmployeeValues,
): Record<string, unknown> {
  const { Dimensions, InvitationDate, ...fields } = values;
  const shown = mirroredFields.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]]));
  return {
    Id: number,
    CompanyId: companyId,
    ...fields,
    Dimensions: { ...Dimensions, ...Object.fromEntries(shown) },
    ...(InvitationDate === undefined ? {} : { InvitationDate }),
    Fullname: `${values.Firstname} ${values.Lastname}`,
    ExternalId: values.EmployeeID,
    ...(values.Phonenumber === undefined ? {} : { ContactNumber: values.Phonenumber }),
    SourcedFromExternalSystem: true,
    Locked: false,
    FirstInvitationDate: null,
  };
}
