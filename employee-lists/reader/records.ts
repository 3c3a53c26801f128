import { digestElement } from './canonical';
import { isValid, unknownCount } from './element';
import { folded, foldedEnd } from './email';
import { emailField, endOf, idField, phoneField, startOf } from './fields';
import { countMembers } from './ignored';
import { longestElement } from './memory';
import { Column, fetchSlots, noteText, ownerOf } from './repeats';
import { digestAll } from './sha256';

/** The elements since `forgetRecords`; at most as many as the window holds. */
export const mostRecords: u32 = 1_024;
export let recordCount: u32 = 0;
/** Start and end offset in the list, per element. */
export const bounds: usize = memory.data(8_192, 16);
/** 1 if the element has unknown members. */
export const withUnknown: usize = memory.data(1_024, 16);
/** 1 if the element is short enough to be held. */
export const plain: usize = memory.data(1_024, 16);
export const idDigests: usize = memory.data(16_384, 16);
export const digests: usize = memory.data(16_384, 16);

/** Per column the element whose text the last one repeats, or -1. */
export const owners: usize = memory.data(12, 4);

let isDigesting: bool = true;

export function setDigesting(isOn: bool): void {
  isDigesting = isOn;
}

export function forgetRecords(): void {
  recordCount = 0;
}

/** Adds the last element. True if it repeats a text that must be unique. */
export function addRecord(element: u32, start: u32, end: u32): bool {
  const index = <usize>recordCount;
  store<u32>(bounds + index * 8, start);
  store<u32>(bounds + index * 8, end, 4);
  store<u8>(withUnknown + index, unknownCount > 0 ? 1 : 0);
  store<u8>(plain + index, <usize>(end - start) <= longestElement ? 1 : 0);
  if (isDigesting) digestElement(idDigests + index * 16, digests + index * 16);
  countMembers();
  recordCount++;
  return findOwners(element) > 0;
}

export function completeRecords(): void {
  if (isDigesting) digestAll();
}

export function findOwners(element: u32): i32 {
  if (isValid(idField)) noteText(Column.id, startOf(idField), endOf(idField));
  if (isValid(emailField)) noteText(Column.email, folded, foldedEnd);
  if (isValid(phoneField)) noteText(Column.phone, startOf(phoneField), endOf(phoneField));
  fetchSlots();
  const both = findOwner(Column.id, idField, element) + findOwner(Column.email, emailField, element);
  return both + findOwner(Column.phone, phoneField, element);
}

function findOwner(column: i32, field: i32, element: u32): i32 {
  const owner = isValid(field) ? ownerOf(column, element) : -1;
  store<i32>(owners + <usize>column * 4, owner);
  return owner < 0 ? 0 : 1;
}
