import { allocate } from './memory';
import { storeHash } from './siphash';

export enum Column {
  id,
  email,
  phone,
}
const columns = 3;

/** Per column: table, slots, entries. A slot: 96 bits of a keyed hash of the text, the element's number plus 1. */
const tables: usize = memory.data(48, 16);
const tableBytes: usize = 16;
const slotBytes: usize = 16;

function tableOf(column: i32): usize {
  return tables + <usize>column * tableBytes;
}

/** A table fuller than three quarters needs too many probes. */
function isFull(elements: u32, slots: u32): bool {
  return elements * 4 >= slots * 3;
}

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

/** Per column: the hash of its last text, and what `fetchSlots` found. */
const hashes: usize = memory.data(48, 16);

export function noteText(column: i32, start: usize, end: usize): void {
  storeHash(hashes + <usize>column * 16, start, end - start);
}

/** Of all columns at once: one after the other, each waits for memory. */
export function fetchSlots(): void {
  for (let column = 0; column < columns; column++) {
    const noted = hashes + <usize>column * 16;
    const index: usize = load<u32>(noted) & (load<u32>(tableOf(column), 4) - 1);
    store<u32>(noted, load<u32>(load<u32>(tableOf(column)) + index * slotBytes, 12), 12);
  }
}

/** The earlier element with the noted text, or -1; then this element is remembered for it. */
export function ownerOf(column: i32, element: u32): i32 {
  const table = tableOf(column);
  if (isFull(load<u32>(table, 8), load<u32>(table, 4))) grow(table);
  const hash = load<u64>(hashes + <usize>column * 16);
  const rest = load<u32>(hashes + <usize>column * 16, 8);
  const slot = slotOf(table, hash, rest);
  const owner = load<u32>(slot, 12);
  if (owner == 0) put(table, slot, hash, ((<u64>(element + 1)) << 32) | rest);
  return <i32>owner - 1;
}

function slotOf(table: usize, hash: u64, rest: u32): usize {
  const base: usize = load<u32>(table);
  const mask = load<u32>(table, 4) - 1;
  let index = (<u32>hash) & mask;
  while (true) {
    const slot = base + <usize>index * slotBytes;
    if (load<u32>(slot, 12) == 0 || (load<u64>(slot) == hash && load<u32>(slot, 8) == rest)) return slot;
    index = (index + 1) & mask;
  }
}

function put(table: usize, slot: usize, hash: u64, restAndOwner: u64): void {
  store<u64>(slot, hash);
  store<u64>(slot, restAndOwner, 8);
  store<u32>(table, load<u32>(table, 8) + 1, 8);
}

function grow(table: usize): void {
  const old: usize = load<u32>(table);
  const oldSlots = load<u32>(table, 4);
  makeTable(table, oldSlots * 2);
  for (let i: u32 = 0; i < oldSlots; i++) {
    const from = old + <usize>i * slotBytes;
    if (load<u32>(from, 12) == 0) continue;
    put(table, slotOf(table, load<u64>(from), load<u32>(from, 8)), load<u64>(from), load<u64>(from, 8));
  }
}
