import { digestElement } from './canonical';
import { endOf, startOf, unknownCount } from './element';
import { folded, foldedEnd } from './email';
import { idField, phoneField } from './fields';
import { Column, columns, ownerOf } from './repeats';
import { digestAll } from './sha256';

/** What was noted of the elements since `forgetRecords`, as many as the window can hold. */
export const mostRecords: u32 = 1_024;
export let recordCount: u32 = 0;
/** Where each lies in the list: start and end. */
export const bounds: usize = memory.data(8_192, 16);
/** 1 where an element has members that are no fields. */
export const withUnknown: usize = memory.data(1_024, 16);
/** Four words for each. */
export const idDigests: usize = memory.data(16_384, 16);
export const digests: usize = memory.data(16_384, 16);

/** For each column the element whose text the last one repeats, or -1. */
export const owners: usize = memory.data(12, 4);

let isDigesting: bool = true;

/** Whether elements are digested from here on. */
export function setDigesting(isOn: bool): void {
  isDigesting = isOn;
}

export function forgetRecords(): void {
  recordCount = 0;
}

/** Notes the element that was read last. True where it repeats a text that must be its own. */
export function addRecord(element: u32, start: u32, end: u32): bool {
  const index = <usize>recordCount;
  store<u32>(bounds + index * 8, start);
  store<u32>(bounds + index * 8, end, 4);
  store<u8>(withUnknown + index, unknownCount > 0 ? 1 : 0);
  if (isDigesting) digestElement(idDigests + index * 16, digests + index * 16);
  recordCount++;
  return repeats(element);
}

/** Digests of all records are there behind this. */
export function completeRecords(): void {
  if (isDigesting) digestAll();
}

function repeats(element: u32): bool {
  const phone = startOf(phoneField);
  setOwner(Column.id, ownerOf(Column.id, element, startOf(idField), endOf(idField)));
  setOwner(Column.email, ownerOf(Column.email, element, folded, foldedEnd));
  setOwner(Column.phone, phone == 0 ? -1 : ownerOf(Column.phone, element, phone, endOf(phoneField)));
  for (let column = 0; column < columns; column++)
    if (load<i32>(owners + <usize>column * 4) >= 0) return true;
  return false;
}

function setOwner(column: i32, owner: i32): void {
  store<i32>(owners + <usize>column * 4, owner);
}
