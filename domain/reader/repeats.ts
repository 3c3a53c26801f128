import { isSameText } from './host';
import { allocate } from './memory';
import { hashOf } from './siphash';

/** The columns of a list in which nothing may come twice. */
export enum Column {
  id,
  email,
  phone,
}
export const columns = 3;

/** Of each column: where its table lies, its slots, its entries. A slot has a hash and the element's number plus 1. */
const tables: usize = memory.data(48, 16);
const tableBytes: usize = 16;
const slotBytes: usize = 8;

function tableOf(column: i32): usize {
  return tables + <usize>column * tableBytes;
}

/** Whether so many elements fill so many slots up to three quarters: more would have to be looked at for each text. */
function isFull(elements: u32, slots: u32): bool {
  return elements * 4 >= slots * 3;
}

/** Empty tables with room for so many elements; they grow where more come. */
export function forgetTexts(expected: u32): void {
  let slots: u32 = 32;
  while (isFull(expected, slots)) slots <<= 1;
  for (let column = 0; column < columns; column++) makeTable(tableOf(column), slots);
}

function makeTable(table: usize, slots: u32): void {
  store<u32>(table, <u32>allocate(<usize>slots * slotBytes));
  store<u32>(table, slots, 4);
  store<u32>(table, 0, 8);
}

/** The element that brought the same text of this column before, or -1; then this element is remembered for it. */
export function ownerOf(column: i32, element: u32, start: usize, end: usize): i32 {
  const table = tableOf(column);
  if (isFull(load<u32>(table, 8), load<u32>(table, 4))) grow(table);
  const hash = <u32>hashOf(start, end - start);
  const base: usize = load<u32>(table);
  const mask = load<u32>(table, 4) - 1;
  let slot = hash & mask;
  while (true) {
    const place = base + <usize>slot * slotBytes;
    const owner = load<u32>(place, 4);
    if (owner == 0) {
      put(table, place, hash, element + 1);
      return -1;
    }
    if (load<u32>(place) == hash && isSameText(column, owner - 1, start, end - start)) return owner - 1;
    slot = (slot + 1) & mask;
  }
}

function put(table: usize, place: usize, hash: u32, owner: u32): void {
  store<u32>(place, hash);
  store<u32>(place, owner, 4);
  store<u32>(table, load<u32>(table, 8) + 1, 8);
}

function grow(table: usize): void {
  const old: usize = load<u32>(table);
  const oldSlots = load<u32>(table, 4);
  makeTable(table, oldSlots * 2);
  const base: usize = load<u32>(table);
  const mask = oldSlots * 2 - 1;
  for (let i: u32 = 0; i < oldSlots; i++) {
    const from = old + <usize>i * slotBytes;
    const owner = load<u32>(from, 4);
    if (owner == 0) continue;
    const hash = load<u32>(from);
    let slot = hash & mask;
    while (load<u32>(base + <usize>slot * slotBytes, 4) != 0) slot = (slot + 1) & mask;
    put(table, base + <usize>slot * slotBytes, hash, owner);
  }
}
