import {
  dimensionCount,
  dimensionName,
  dimensionValue,
  endOfDimensionName,
  endOfDimensionValue,
} from './dimensions';
import { readSettled, unknownCount } from './element';
import {
  Flag,
  Kind,
  dateField,
  dimensionsField,
  endOf,
  fieldCount,
  firstnameField,
  hasFlag,
  idField,
  kindOf,
  lastnameField,
  nameLength,
  nameOf,
  phoneField,
  startOf,
} from './fields';
import { longestElement, window } from './memory';
import { putAscii, putByte, putBytes, putDigest, putNumber, putText } from './output';

/** Written by the host for the next entry: the digests, four words each, and the due time of the invitation. */
export const idDigest: usize = memory.data(16, 16);
export const digest: usize = memory.data(16, 16);
export const due: usize = memory.data(64, 16);

export function endWindow(length: usize): void {
  v128.store(window + length, i8x16.splat(0));
}

/** Reads an element in the window. False if it is not settled here, or has unknown members it must not have. */
export function holdElement(offset: usize, length: usize, mayHaveUnknown: bool): bool {
  if (length > longestElement) return false;
  const start = window + offset;
  return readSettled(start) == start + length && (mayHaveUnknown || unknownCount == 0);
}

export function heldDate(): usize {
  return startOf(dateField);
}
export function heldDateLength(): usize {
  return startOf(dateField) == 0 ? 0 : endOf(dateField) - startOf(dateField);
}

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

export function putChanged(number: f64): void {
  putAscii('{"number":');
  putNumber(<u64>number);
  putAscii(',"digest":"');
  putDigest(digest);
  putByte(0x22);
  putValues(false);
}

/** Equals `valuesText` of `values.ts`; ends the entry. */
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

/** All fields but Dimensions and InvitationDate. The first one is required. */
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

/** A row has one byte for the length of an InvitationDate. */
export const longestDate: usize = 255;

/** A row: length of the InvitationDate (a byte), the date, the element of GET employees without it and what GET adds. */
export function putRow(number: u64): void {
  putByte(<u32>heldDateLength());
  putBytes(heldDate(), heldDate() + heldDateLength());
  putAscii('{"Id":');
  putNumber(number);
  putByte(0x2c);
  putFields();
  putAscii(',"Dimensions":{');
  putDimensions();
  putMirrored();
  putByte(0x7d);
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
