import { allocate } from './memory';
import { hashOf } from './siphash';

/* The member names of an element, by keyed 64-bit hashes. Entries carry the element's number, so nothing is cleared. */
const slotBytes: usize = 16;
let table: usize = 0;
let slots: u32 = 0;
let count: u32 = 0;
let element: u64 = 0;
let scopes: u32 = 0;

export function freeNames(): void {
  table = 0;
  slots = 0;
}

export function forgetNames(): void {
  element++;
  count = 0;
  scopes = 0;
}

export function newScope(): u32 {
  return ++scopes;
}

/** Whether the name is new in its object; then it is remembered. */
export function isNewName(scope: u32, start: usize, end: usize): bool {
  return isNewHash(scope, hashOf(start, end - start));
}

export function isNewHash(scope: u32, nameHash: u64): bool {
  if (count * 4 >= slots * 3) grow();
  const hash = nameHash ^ (<u64>scope * 0x9e3779b97f4a7c15);
  const slot = slotOf(hash);
  if (load<u64>(slot, 8) == element) return false;
  put(slot, hash);
  return true;
}

function slotOf(hash: u64): usize {
  let index = (<u32>hash) & (slots - 1);
  while (true) {
    const slot = table + <usize>index * slotBytes;
    if (load<u64>(slot, 8) != element || load<u64>(slot) == hash) return slot;
    index = (index + 1) & (slots - 1);
  }
}

function put(slot: usize, hash: u64): void {
  store<u64>(slot, hash);
  store<u64>(slot, element, 8);
  count++;
}

function grow(): void {
  const old = table;
  const oldSlots = slots;
  slots = max<u32>(256, oldSlots * 2);
  table = allocate(<usize>slots * slotBytes);
  count = 0;
  for (let i: u32 = 0; i < oldSlots; i++) {
    const from = old + <usize>i * slotBytes;
    if (load<u64>(from, 8) == element) put(slotOf(load<u64>(from)), load<u64>(from));
  }
}
