import { Flag, endOf, fieldNamed, hasFlag, startOf } from './fields';
import { firstDifference, isSame } from './memory';
import { isNewName, newScope } from './names';
import { skipNull } from './scalar';
import { Breach, breach, noteBreach } from './strict';
import { readText, space, textEnd, textPoints, textStart, hasInk } from './text';
import { beginMember, skipValue } from './value';

/** More than one employee may have. */
const most = 128;
const entryBytes: usize = 16;
/** Per dimension, sorted by name: start and end of its name, start and end of its value (0 for null). */
const entries: usize = memory.data(2_064, 16);

export let dimensionCount: i32 = 0;
let maxName: i32 = 0;
let maxValue: i32 = 0;
let maxKept: i32 = 0;

let presentCount: i32 = 0;
let problemCount: i32 = 0;
let scope: u32 = 0;
let nameStart: usize = 0;
let nameEnd: usize = 0;
let isSoundName: bool = false;

/** Limits: code points of a name and of a value, dimensions of one employee. */
export function setDimensionLimits(name: i32, value: i32, kept: i32): void {
  maxName = name;
  maxValue = value;
  maxKept = kept;
}

export function forgetDimensions(): void {
  dimensionCount = 0;
  presentCount = 0;
  problemCount = 0;
  scope = 0;
}

function entry(index: i32): usize {
  return entries + <usize>index * entryBytes;
}

export function dimensionName(index: i32): usize {
  return load<u32>(entry(index));
}
export function endOfDimensionName(index: i32): usize {
  return load<u32>(entry(index), 4);
}
export function dimensionValue(index: i32): usize {
  return load<u32>(entry(index), 8);
}
export function endOfDimensionValue(index: i32): usize {
  return load<u32>(entry(index), 12);
}

export function readDimensions(brace: usize): usize {
  let at = space(brace + 1);
  if (load<u8>(at) == 0x7d) return at + 1;
  while (true) {
    at = readDimension(at);
    if (at == 0) return 0;
    at = space(at);
    const byte = load<u8>(at);
    if (byte == 0x7d) return at + 1;
    if (byte != 0x2c) return 0;
    at = space(at + 1);
  }
}

function readDimension(at: usize): usize {
  if (load<u8>(at) != 0x22) return 0;
  const behindName = readText(at);
  if (behindName == 0) return 0;
  nameStart = textStart;
  nameEnd = textEnd;
  isSoundName = textPoints <= maxName && hasInk(textStart, textEnd);
  beginMember(textStart, textEnd, at);
  const index = admitName(at);
  const colon = space(behindName);
  return load<u8>(colon) == 0x3a ? readValue(index, space(colon + 1)) : 0;
}

/** The index of a new name; -1 if it is kept only once it has a value. */
function admitName(at: usize): i32 {
  if (scope == 0) {
    const index = indexOf(nameStart, nameEnd);
    if (index < 0) {
      noteBreach(Breach.repeatedName, at);
      return -1;
    }
    if (dimensionCount < most) {
      insert(index, nameStart, nameEnd);
      return index;
    }
    hashNames();
  }
  if (breach == Breach.none && !isNewName(scope, nameStart, nameEnd)) noteBreach(Breach.repeatedName, at);
  return -1;
}

/** From here on hashes detect repeated names, and only dimensions with a value are kept. */
function hashNames(): void {
  scope = newScope();
  for (let index = 0; index < dimensionCount; index++)
    isNewName(scope, dimensionName(index), endOfDimensionName(index));
  removeEmpty();
}

function readValue(index: i32, at: usize): usize {
  const byte = load<u8>(at);
  if (byte == 0x6e) return skipNull(at);
  const field = fieldNamed(nameStart, nameEnd);
  const isMirrored = field >= 0 && hasFlag(field, Flag.mirrored);
  if (!isMirrored) presentCount++;
  const behind = byte == 0x22 ? readText(at) : skipValue(at, 3);
  if (byte == 0x22 && isSoundName && (isMirrored || textPoints <= maxValue)) keepValue(index);
  else problemCount++;
  return behind;
}

function keepValue(index: i32): void {
  let place = index;
  if (place < 0) {
    if (dimensionCount == most) return;
    place = indexOf(nameStart, nameEnd);
    if (place < 0) return;
    insert(place, nameStart, nameEnd);
  }
  store<u32>(entry(place), <u32>textStart, 8);
  store<u32>(entry(place), <u32>textEnd, 12);
}

/** Where the name is to be inserted; -1 if it is there already. */
function indexOf(start: usize, end: usize): i32 {
  let low = 0;
  let high = dimensionCount;
  // Most lists send the names sorted, so the search begins at the last one.
  let middle = high - 1;
  while (low < high) {
    const order = compareNames(start, end, dimensionName(middle), endOfDimensionName(middle));
    if (order == 0) return -1;
    if (order > 0) low = middle + 1;
    else high = middle;
    middle = (low + high) >> 1;
  }
  return low;
}

function compareNames(a: usize, aEnd: usize, b: usize, bEnd: usize): i32 {
  const length = min(aEnd - a, bEnd - b);
  const index = firstDifference(a, b, length);
  if (index == length) return <i32>(aEnd - a) - <i32>(bEnd - b);
  return codeUnitOrder(load<u8>(a + index)) - codeUnitOrder(load<u8>(b + index));
}

/** UTF-8 sorts by code point; by code unit, surrogate pairs sort before U+E000. */
function codeUnitOrder(byte: i32): i32 {
  return byte == 0xee || byte == 0xef ? byte + 0x10 : byte;
}

function insert(place: i32, start: usize, end: usize): void {
  memory.copy(entry(place + 1), entry(place), <usize>(dimensionCount - place) * entryBytes);
  store<u32>(entry(place), <u32>start);
  store<u32>(entry(place), <u32>end, 4);
  store<u64>(entry(place), 0, 8);
  dimensionCount++;
}

function remove(index: i32): void {
  dimensionCount--;
  memory.copy(entry(index), entry(index + 1), <usize>(dimensionCount - index) * entryBytes);
}

function removeEmpty(): void {
  for (let index = dimensionCount - 1; index >= 0; index--) if (dimensionValue(index) == 0) remove(index);
}

export function settleDimensions(): i32 {
  for (let index = dimensionCount - 1; index >= 0; index--) {
    if (dimensionValue(index) == 0) continue;
    const field = fieldNamed(dimensionName(index), endOfDimensionName(index));
    if (field >= 0 && hasFlag(field, Flag.mirrored)) dropRepeated(index, startOf(field), endOf(field));
  }
  removeEmpty();
  return presentCount > maxKept ? 1 : problemCount;
}

/** Removes a dimension that repeats a field; a different value is a problem. */
function dropRepeated(index: i32, start: usize, end: usize): void {
  if (start == 0 || !isSame(start, end, dimensionValue(index), endOfDimensionValue(index))) problemCount++;
  remove(index);
}
