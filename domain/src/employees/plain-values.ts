import type { ByteWriter } from './byte-writer.js';
import type { ElementReader } from './element-reader.js';
import { field, fieldNames } from './fields.js';
import { fieldMark, nameMark } from './values.js';

const codes: readonly number[] = [field.Gender, field.EmploymentStatus];
const encoder = new TextEncoder();
const isCode = fieldNames.map((_, index) => codes.includes(index));
const prefixes = fieldNames.map((name, index) =>
  encoder.encode(`${index === 0 ? '{' : ','}"${name}":${isCode[index] === true ? '' : '"'}`),
);
const dimensionsPrefix = encoder.encode(',"Dimensions":{"');
const nextDimension = encoder.encode(',"');
const betweenNameAndValue = encoder.encode('":"');
const quote = 0x22;
const closeBrace = 0x7d;

function writeField(reader: ElementReader, body: Uint8Array, index: number, out: ByteWriter): void {
  const start = reader.starts[index] as number;
  if (start < 0) return;
  out.bytes(prefixes[index] as Uint8Array);
  out.range(body, start, reader.ends[index] as number);
  if (isCode[index] === false) out.byte(quote);
}

function writeDimensions(reader: ElementReader, body: Uint8Array, out: ByteWriter): void {
  const { ranges, count } = reader.dimensions;
  if (count === 0) return;
  for (let entry = 0; entry < count * 4; entry += 4) {
    out.bytes(entry === 0 ? dimensionsPrefix : nextDimension);
    out.range(body, ranges[entry] as number, ranges[entry + 1] as number);
    out.bytes(betweenNameAndValue);
    out.range(body, ranges[entry + 2] as number, ranges[entry + 3] as number);
    out.byte(quote);
  }
  out.byte(closeBrace);
}

/**
 * Writes what `valuesText` of `values.ts` gives for the element that was read last, by copying bytes; with its
 * `InvitationDate` where that is asked for.
 */
export function writePlainValues(
  reader: ElementReader,
  body: Uint8Array,
  out: ByteWriter,
  withInvitationDate: boolean,
): void {
  for (let index = 0; index < field.Dimensions; index++) writeField(reader, body, index, out);
  writeDimensions(reader, body, out);
  if (withInvitationDate) writeField(reader, body, field.InvitationDate, out);
  out.byte(closeBrace);
}

/** Writes what `canonicalBytes` of `values.ts` gives for the element that was read last. */
export function writePlainCanonical(reader: ElementReader, body: Uint8Array, out: ByteWriter): void {
  const { starts, ends } = reader;
  const { ranges, count } = reader.dimensions;
  for (let index = 0; index < field.Dimensions; index++) {
    const start = starts[index] as number;
    if (start < 0) continue;
    out.byte(fieldMark);
    out.byte(index);
    out.range(body, start, ends[index] as number);
  }
  for (let entry = 0; entry < count * 4; entry += 4) {
    out.byte(fieldMark);
    out.byte(field.Dimensions);
    out.range(body, ranges[entry] as number, ranges[entry + 1] as number);
    out.byte(nameMark);
    out.range(body, ranges[entry + 2] as number, ranges[entry + 3] as number);
  }
}
