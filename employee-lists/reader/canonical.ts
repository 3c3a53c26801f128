import { endOfCanonical } from './dates';
import {
  dimensionCount,
  dimensionName,
  dimensionValue,
  endOfDimensionName,
  endOfDimensionValue,
} from './dimensions';
import { Kind, dateField, dimensionsField, endOf, fieldCount, idField, kindOf, startOf } from './fields';
import { copy } from './memory';
import { addMessage, messageStart } from './sha256';

/** Message prefixes (key and a purpose byte) for EmployeeIDs and for values; written by the host. */
export const heads: usize = memory.data(128, 16);
const headBytes: usize = 33;
const valuesHead: usize = 48;

const fieldMark: u32 = 0xff;
const nameMark: u32 = 0xfe;

let out: usize = 0;

function begin(head: usize): void {
  out = messageStart();
  copy(out, head, headBytes);
  out += headBytes;
}

function put(start: usize, end: usize): void {
  copy(out, start, end - start);
  out += end - start;
}

function mark(field: i32): void {
  store<u16>(out, <u16>(fieldMark | (field << 8)));
  out += 2;
}

/** Queues the EmployeeID and the canonical values (`values.ts`) of the last element for digesting. */
export function digestElement(idDigest: usize, digest: usize): void {
  begin(heads);
  put(startOf(idField), endOf(idField));
  addMessage(out, idDigest);
  begin(heads + valuesHead);
  for (let field = 0; field < fieldCount; field++) putField(field);
  putDimensions();
  addMessage(out, digest);
}

function putField(field: i32): void {
  const start = startOf(field);
  if (start == 0 || field == dateField || field == dimensionsField) return;
  mark(field);
  const end = endOf(field);
  if (kindOf(field) != Kind.birthday) return put(start, end);
  const canonical = endOfCanonical(start, end);
  put(start, canonical);
  if (canonical != end) store<u8>(out++, 0x5a);
}

function putDimensions(): void {
  for (let index = 0; index < dimensionCount; index++) {
    mark(dimensionsField);
    put(dimensionName(index), endOfDimensionName(index));
    store<u8>(out++, <u8>nameMark);
    put(dimensionValue(index), endOfDimensionValue(index));
  }
}
