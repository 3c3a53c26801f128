import { firstDifference, isSame } from './memory';
import { readText, space, textEnd, textPoints, textStart, hasInk } from './text';
import { skipNull } from './scalar';

/** Of one employee, those counted too that are null or repeat a field. */
const most = 128;
const entryBytes: usize = 16;
/** For each, sorted by name: start and end of its name, start and end of its value, 0 where it is null. */
const entries: usize = memory.data(2_064, 16);

export let dimensionCount: i32 = 0;
let mostName: i32 = 0;
let mostValue: i32 = 0;
let mostKept: i32 = 0;

/** Code points of a name and of a value, and how many are stored of one employee, at most. */
export function setDimensionLimits(name: i32, value: i32, kept: i32): void {
  mostName = name;
  mostValue = value;
  mostKept = kept;
}

export function forgetDimensions(): void {
  dimensionCount = 0;
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

/** Behind the object whose opening brace stands at `brace`; 0 where it is left to the rules in full. */
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
  if (load<u8>(at) != 0x22 || dimensionCount == most) return 0;
  const behindName = readText(at);
  if (behindName == 0 || textPoints > mostName || !hasInk(textStart, textEnd)) return 0;
  const place = placeOf(textStart, textEnd);
  if (place < 0 || isPoison(textStart, textEnd)) return 0;
  insert(place, textStart, textEnd);
  const colon = space(behindName);
  return load<u8>(colon) == 0x3a ? readValue(place, space(colon + 1)) : 0;
}

function readValue(place: i32, at: usize): usize {
  const byte = load<u8>(at);
  if (byte == 0x6e) return skipNull(at);
  if (byte != 0x22) return 0;
  const behind = readText(at);
  if (behind == 0 || textPoints > mostValue) return 0;
  store<u32>(entry(place), <u32>textStart, 8);
  store<u32>(entry(place), <u32>textEnd, 12);
  return behind;
}

/** Where the dimension of this name belongs; -1 where it came before. */
function placeOf(start: usize, end: usize): i32 {
  let place = dimensionCount;
  for (; place > 0; place--) {
    const order = compareNames(start, end, dimensionName(place - 1), endOfDimensionName(place - 1));
    if (order == 0) return -1;
    if (order > 0) break;
  }
  return place;
}

/** The order of two names by UTF-16 code units. */
function compareNames(a: usize, aEnd: usize, b: usize, bEnd: usize): i32 {
  const length = min(aEnd - a, bEnd - b);
  const index = firstDifference(a, b, length);
  if (index == length) return <i32>(aEnd - a) - <i32>(bEnd - b);
  return codeUnitOrder(load<u8>(a + index)) - codeUnitOrder(load<u8>(b + index));
}

/** Bytes are in the order of code points. In that of code units all pairs of surrogates stand before U+E000. */
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

/** `__proto__`, which no object may have. */
export function isPoison(start: usize, end: usize): bool {
  return end - start == 9 && load<u64>(start) == 0x5f6f746f72705f5f && load<u8>(start + 8) == 0x5f;
}

/** Takes out one; those behind it move up. */
function remove(index: i32): void {
  dimensionCount--;
  memory.copy(entry(index), entry(index + 1), <usize>(dimensionCount - index) * entryBytes);
}

/** Takes out those that are null. False where more are left than may be stored. */
export function keepGiven(): bool {
  for (let index = dimensionCount - 1; index >= 0; index--) if (dimensionValue(index) == 0) remove(index);
  return dimensionCount <= mostKept;
}

/** Takes out a dimension that repeats the text of a field; false where it contradicts it. */
export function dropRepeated(index: i32, start: usize, end: usize): bool {
  if (start == 0 || !isSame(start, end, dimensionValue(index), endOfDimensionValue(index))) return false;
  remove(index);
  return true;
}
