import { copy } from './memory';
import { hashOf } from './siphash';

/* Counts unknown members by name in bounded memory. All names after the first 100 share the last entry. */
const mostNames: u32 = 100;
/** A longer name is cut, and shares the entry of names with the same beginning. */
const keptPoints = 40;

/** An entry: count, bytes of the name, whether it is cut, the name. */
const entryBytes: usize = 192;
export const ignoredNames: usize = memory.data(19_392, 16);
export let ignoredCount: u32 = 0;

/** A slot: the keyed 64-bit hash, and the entry's number plus 1. */
const slotBytes: usize = 16;
const slotMask: u32 = 255;
const slots: usize = memory.data(4_096, 16);
const cutMark: u64 = 0x9e3779b97f4a7c15;

/** The entries of the current element, counted once it is valid. An element of 1 MiB has fewer members. */
const mostMembers: usize = 262_144;
const members: usize = memory.data(262_144);
let memberCount: usize = 0;
let isCounting: bool = false;

export function beginIgnored(): void {
  memory.fill(ignoredNames, 0, <usize>(mostNames + 1) * entryBytes);
  memory.fill(slots, 0, 4_096);
  ignoredCount = 0;
  isCounting = true;
}

export function endIgnored(): void {
  isCounting = false;
}

export function forgetMembers(): void {
  memberCount = 0;
}

export function noteMember(hash: u64, start: usize, end: usize, points: i32): void {
  if (!isCounting || memberCount == mostMembers) return;
  const entry = points > keptPoints ? cutEntryOf(start) : entryOf(hash, start, end - start);
  store<u8>(members + memberCount, <u8>entry);
  memberCount++;
}

export function countMembers(): void {
  for (let index: usize = 0; index < memberCount; index++) {
    const entry = ignoredNames + <usize>load<u8>(members + index) * entryBytes;
    store<u32>(entry, load<u32>(entry) + 1);
  }
  memberCount = 0;
}

function cutEntryOf(start: usize): u32 {
  let at = start;
  for (let points = 0; points < keptPoints; points++) {
    at++;
    while ((load<u8>(at) & 0xc0) == 0x80) at++;
  }
  const entry = entryOf(hashOf(start, at - start) ^ cutMark, start, at - start);
  store<u32>(ignoredNames + <usize>entry * entryBytes, 1, 8);
  return entry;
}

function entryOf(hash: u64, start: usize, length: usize): u32 {
  let index = (<u32>hash) & slotMask;
  while (true) {
    const slot = slots + <usize>index * slotBytes;
    const number = load<u32>(slot, 8);
    if (number == 0) return ignoredCount == mostNames ? mostNames : add(slot, hash, start, length);
    if (load<u64>(slot) == hash) return number - 1;
    index = (index + 1) & slotMask;
  }
}

function add(slot: usize, hash: u64, start: usize, length: usize): u32 {
  const entry = ignoredNames + <usize>ignoredCount * entryBytes;
  store<u32>(entry, <u32>length, 4);
  copy(entry + 16, start, length);
  store<u64>(slot, hash);
  store<u32>(slot, ++ignoredCount, 8);
  return ignoredCount - 1;
}
