import { firstDifference } from './memory';

export enum Kind {
  text,
  email,
  phone,
  code,
  birthday,
  date,
  dimensions,
}

export enum Flag {
  required = 1,
  notBlank = 2,
  mirrored = 4,
  id = 8,
  firstname = 16,
  lastname = 32,
}

const entryBytes: usize = 64;
const mostFields = 16;

/** The text of each field of the element, or its digit; 0 if absent. */
const starts: usize = memory.data(64, 16);
const ends: usize = memory.data(64, 16);

export function startOf(field: i32): usize {
  return load<u32>(starts + ((<usize>field) << 2));
}
export function endOf(field: i32): usize {
  return load<u32>(ends + ((<usize>field) << 2));
}
export function setRange(field: i32, start: usize, end: usize): void {
  store<u32>(starts + ((<usize>field) << 2), <u32>start);
  store<u32>(ends + ((<usize>field) << 2), <u32>end);
}
export function forgetRanges(): void {
  memory.fill(starts, 0, 64);
}

/**
 * The fields in stored order, written by the host: kind, flags, length of the name, nothing (a byte each); most code points,
 * known codes as bits (two bytes each); from byte 16 on the name in quotes.
 */
export const fieldTable: usize = memory.data(1_088, 16);
/** 32 bytes per field: ones under the bytes of its quoted name. */
const nameMasks: usize = memory.data(544, 16);
const bySlot: usize = memory.data(32_768);

export let fieldCount: i32 = 0;
export let requiredFields: u32 = 0;
export let idField: i32 = 0;
export let firstnameField: i32 = 0;
export let lastnameField: i32 = 0;
export let emailField: i32 = 0;
export let phoneField: i32 = 0;
export let dimensionsField: i32 = 0;
export let dateField: i32 = 0;

function entry(field: i32): usize {
  return fieldTable + <usize>field * entryBytes;
}

export function kindOf(field: i32): i32 {
  return load<u8>(entry(field));
}

export function hasFlag(field: i32, flag: i32): bool {
  return (load<u8>(entry(field), 1) & flag) != 0;
}

export function mostPoints(field: i32): i32 {
  return load<u16>(entry(field), 4);
}

export function isKnownCode(field: i32, digit: i32): bool {
  return ((load<u16>(entry(field), 6) >> digit) & 1) != 0;
}

export function nameOf(field: i32): usize {
  return entry(field) + 16;
}

export function nameLength(field: i32): usize {
  return load<u8>(entry(field), 2);
}

/** A perfect hash of the quoted names: length, first and last letter. */
function slotOf(name: usize, length: usize): usize {
  const first: usize = load<u8>(name + 1) & 31;
  const last: usize = load<u8>(name + length - 2) & 31;
  return bySlot + (((length & 31) << 10) | (first << 5) | last);
}

/** Called after the host has written the fields. False if the hash of their names is not perfect. */
export function setFields(count: i32): bool {
  if (count > mostFields) return false;
  fieldCount = count;
  memory.fill(bySlot, 0xff, 32_768);
  for (let field = 0; field < count; field++) {
    const slot = slotOf(nameOf(field), nameLength(field));
    if (load<u8>(slot) != 0xff || nameLength(field) > 32) return false;
    store<u8>(slot, <u8>field);
    memory.fill(nameMasks + <usize>field * 32, 0xff, nameLength(field));
    if (hasFlag(field, Flag.required)) requiredFields |= 1 << field;
    setRole(field);
  }
  return true;
}

function setRole(field: i32): void {
  if (hasFlag(field, Flag.id)) idField = field;
  if (hasFlag(field, Flag.firstname)) firstnameField = field;
  if (hasFlag(field, Flag.lastname)) lastnameField = field;
  if (kindOf(field) == Kind.email) emailField = field;
  if (kindOf(field) == Kind.phone) phoneField = field;
  if (kindOf(field) == Kind.dimensions) dimensionsField = field;
  if (kindOf(field) == Kind.date) dateField = field;
}

export function isNamed(field: i32, at: usize): bool {
  const name = nameOf(field);
  const mask = nameMasks + <usize>field * 32;
  const first = v128.and(v128.xor(v128.load(at), v128.load(name)), v128.load(mask));
  const rest = v128.and(v128.xor(v128.load(at, 16), v128.load(name, 16)), v128.load(mask, 16));
  return !v128.any_true(v128.or(first, rest));
}

/** The field of an unquoted name; -1 if unknown. */
export function fieldNamed(start: usize, end: usize): i32 {
  const length = end - start;
  if (length == 0 || length > 29) return -1;
  const field: i32 = load<i8>(slotOf(start - 1, length + 2));
  if (field < 0 || nameLength(field) != length + 2) return -1;
  return firstDifference(start, nameOf(field) + 1, length) == length ? field : -1;
}
