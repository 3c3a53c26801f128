import {
  dimensionCount,
  dimensionName,
  dimensionValue,
  endOfDimensionName,
  endOfDimensionValue,
} from './dimensions';
import { endOf, readElement, startOf, unknownCount } from './element';
import {
  Flag,
  Kind,
  dateField,
  dimensionsField,
  fieldCount,
  firstnameField,
  hasFlag,
  idField,
  kindOf,
  lastnameField,
  nameLength,
  nameOf,
  phoneField,
} from './fields';
import { longestElement, window } from './memory';
import { putAscii, putByte, putBytes, putDigest, putNumber, putText } from './output';

/** Written by the host for the entry that comes next: the digests, four words each, and when it is invited. */
export const idDigest: usize = memory.data(16, 16);
export const digest: usize = memory.data(16, 16);
export const due: usize = memory.data(64, 16);

/** So many bytes lie at the beginning of the window, of which elements are held. */
export function endWindow(length: usize): void {
  v128.store(window + length, i8x16.splat(0));
}

/**
 * Reads the element of so many bytes that stands in the window at `offset`. False where it is not settled here, or has members
 * that are no fields and may have none.
 */
export function holdElement(offset: usize, length: usize, mayHaveUnknown: bool): bool {
  if (length > longestElement) return false;
  const start = window + offset;
  return readElement(start) == start + length && (mayHaveUnknown || unknownCount == 0);
}

/** Where the InvitationDate of that element lies, and how long it is; 0 where it has none. */
export function heldDate(): usize {
  return startOf(dateField);
}
export function heldDateLength(): usize {
  return endOf(dateField) - startOf(dateField);
}

/** Writes it as an entry of `added`. */
export function putAdded(number: f64, dueLength: usize): void {
  putAscii('{"number":');
  putNumber(<u64>number);
  putAscii(',"idDigest":"');
  putDigest(idDigest);
  putAscii('","digest":"');
  putDigest(digest);
  putAscii('","invitationDue":');
  if (dueLength == 0) putAscii('null');
  else putQuoted(due, due + dueLength);
  putValues(true);
}

/** Writes it as an entry of `changed`. */
export function putChanged(number: f64): void {
  putAscii('{"number":');
  putNumber(<u64>number);
  putAscii(',"digest":"');
  putDigest(digest);
  putByte(0x22);
  putValues(false);
}

/** What `valuesText` of `values.ts` gives, and the end of an entry. */
function putValues(withDate: bool): void {
  putAscii(',"values":{');
  putFields();
  if (dimensionCount > 0) {
    putName(dimensionsField);
    putByte(0x7b);
    putDimensions();
    putByte(0x7d);
  }
  if (withDate) putField(dateField);
  putAscii('}}');
}

/** All fields but the Dimensions and InvitationDate. The first of them is always there. */
function putFields(): void {
  for (let field = 0; field < fieldCount; field++) {
    if (field != dateField && field != dimensionsField) putField(field);
  }
}

function putField(field: i32): void {
  const start = startOf(field);
  if (start == 0) return;
  putName(field);
  if (kindOf(field) == Kind.code) putBytes(start, endOf(field));
  else putQuoted(start, endOf(field));
}

/** A comma, unless it is the first field, the name and a colon. */
function putName(field: i32): void {
  if (field > 0) putByte(0x2c);
  putBytes(nameOf(field), nameOf(field) + nameLength(field));
  putByte(0x3a);
}

function putQuoted(start: usize, end: usize): void {
  putByte(0x22);
  putText(start, end);
  putByte(0x22);
}

function putDimensions(): void {
  for (let index = 0; index < dimensionCount; index++) {
    if (index > 0) putByte(0x2c);
    putQuoted(dimensionName(index), endOfDimensionName(index));
    putByte(0x3a);
    putQuoted(dimensionValue(index), endOfDimensionValue(index));
  }
}

/** Writes it as an element of the answer to GET employees, without what every element ends with. */
export function putRow(number: u64): void {
  putAscii('{"Id":');
  putNumber(number);
  putByte(0x2c);
  putFields();
  putAscii(',"Dimensions":{');
  putDimensions();
  putMirrored();
  putByte(0x7d);
  putField(dateField);
  putAscii(',"Fullname":"');
  putText(startOf(firstnameField), endOf(firstnameField));
  putByte(0x20);
  putText(startOf(lastnameField), endOf(lastnameField));
  putAscii('","ExternalId":');
  putQuoted(startOf(idField), endOf(idField));
  putContactNumber();
  putByte(0x7d);
}

function putContactNumber(): void {
  if (startOf(phoneField) == 0) return;
  putAscii(',"ContactNumber":');
  putQuoted(startOf(phoneField), endOf(phoneField));
}

/** The reporting fields that stand among the Dimensions too. */
function putMirrored(): void {
  let isFirst = dimensionCount == 0;
  for (let field = 0; field < fieldCount; field++) {
    if (!hasFlag(field, Flag.mirrored) || startOf(field) == 0) continue;
    if (!isFirst) putByte(0x2c);
    isFirst = false;
    putBytes(nameOf(field), nameOf(field) + nameLength(field));
    putByte(0x3a);
    putQuoted(startOf(field), endOf(field));
  }
}
