import { isBirthday, isUtcDate } from './dates';
import {
  dimensionCount,
  dimensionName,
  dimensionValue,
  dropRepeated,
  endOfDimensionName,
  forgetDimensions,
  isPoison,
  keepGiven,
  readDimensions,
} from './dimensions';
import { readEmail } from './email';
import { forgetDecoded } from './escapes';
import {
  Flag,
  Kind,
  fieldNamed,
  hasFlag,
  isKnownCode,
  isNamed,
  kindOf,
  mostPoints,
  nameLength,
  requiredFields,
} from './fields';
import { isSame } from './memory';
import { isDigit, skipNull, skipScalar } from './scalar';
import { hasInk, readText, space, textEnd, textPoints, textStart } from './text';

/** Why an element is left to the rules in full. */
export enum Reason {
  none,
  json,
  rule,
  nested,
  repeatedName,
  members,
  long,
}
export let reason: Reason = Reason.none;

/** Where the text of each field lies, or its digit; 0 where it is absent. */
const starts: usize = memory.data(64, 16);
const ends: usize = memory.data(64, 16);
/** Fields that were named, with null too, and those that have a value. */
let named: u32 = 0;
let given: u32 = 0;

/** Names of members that are no fields. */
const unknown: usize = memory.data(128);
const mostUnknown = 16;
export let unknownCount: i32 = 0;

/** The field of each member of the last element. Those of one list mostly have their members in one order. */
const order: usize = memory.data(64);
const mostOrdered = 40;
let members: i32 = 0;
let isDecided: bool = false;

export function startOf(field: i32): usize {
  return load<u32>(starts + ((<usize>field) << 2));
}
export function endOf(field: i32): usize {
  return load<u32>(ends + ((<usize>field) << 2));
}

/** To be called once: no order is known. */
export function forgetOrder(): void {
  memory.fill(order, 0xff, 64);
}

function fail(why: Reason): usize {
  reason = why;
  return 0;
}

function refuse(why: Reason): bool {
  reason = why;
  return false;
}

function begin(): void {
  memory.fill(starts, 0, 64);
  named = 0;
  given = 0;
  unknownCount = 0;
  members = 0;
  reason = Reason.json;
  forgetDimensions();
  forgetDecoded();
}

/**
 * Reads the employee whose opening brace stands at `brace`, by every rule. Behind its closing one; 0 where it breaks a rule,
 * or is not settled here: `reason` tells why. Whatever the window's end cuts off is not settled.
 */
export function readElement(brace: usize): usize {
  begin();
  let at = space(brace + 1);
  while (true) {
    at = readMember(at);
    if (at == 0) return 0;
    at = space(at);
    const byte = load<u8>(at);
    if (byte == 0x7d) break;
    if (byte != 0x2c) return fail(Reason.json);
    at = space(at + 1);
  }
  return isWhole() ? at + 1 : fail(Reason.rule);
}

/** The same of one that an event has: its fields followed their rules when that was decided, and their texts are not looked into. */
export function readDecided(brace: usize): usize {
  isDecided = true;
  const behind = readElement(brace);
  isDecided = false;
  return behind;
}

/** Reads `"name": value`. Behind it; 0 where it is not settled. */
function readMember(at: usize): usize {
  if (load<u8>(at) != 0x22) return fail(Reason.json);
  const place = order + <usize>members;
  let field: i32 = load<i8>(place);
  let behindName: usize = 0;
  if (field >= 0 && isNamed(field, at)) behindName = at + nameLength(field);
  else {
    behindName = readText(at);
    if (behindName == 0) return fail(Reason.json);
    field = fieldNamed(textStart, textEnd);
    store<i8>(place, <i8>field);
    if (field < 0 && !rememberUnknown()) return 0;
  }
  if (members < mostOrdered) members++;
  const colon = space(behindName);
  if (load<u8>(colon) != 0x3a) return fail(Reason.json);
  const value = space(colon + 1);
  return field < 0 ? skipUnknown(value) : readField(field, value);
}

/** Remembers the name that was read last; false where it came before, is forbidden, or one too many. */
function rememberUnknown(): bool {
  for (let index = 0; index < unknownCount; index++) {
    const entry = unknown + <usize>index * 8;
    if (isSame(textStart, textEnd, load<u32>(entry), load<u32>(entry, 4))) return refuse(Reason.repeatedName);
  }
  if (unknownCount == mostUnknown || isPoison(textStart, textEnd)) return refuse(Reason.members);
  const entry = unknown + <usize>unknownCount * 8;
  store<u32>(entry, <u32>textStart);
  store<u32>(entry, <u32>textEnd, 4);
  unknownCount++;
  return true;
}

/** Behind a value that is no field's. Nested ones may hold forbidden names further down. */
function skipUnknown(at: usize): usize {
  const byte = load<u8>(at);
  if (byte == 0x7b || byte == 0x5b) return fail(Reason.nested);
  const behind = byte == 0x22 ? readText(at) : skipScalar(at);
  return behind == 0 ? fail(Reason.json) : behind;
}

function readField(field: i32, at: usize): usize {
  const bit: u32 = 1 << field;
  if ((named & bit) != 0) return fail(Reason.repeatedName);
  named |= bit;
  const byte = load<u8>(at);
  if (byte == 0x6e) return (requiredFields & bit) == 0 ? skipNull(at) : fail(Reason.rule);
  given |= bit;
  reason = Reason.rule;
  const kind = kindOf(field);
  if (kind == Kind.dimensions) return byte == 0x7b ? readDimensions(at) : 0;
  if (kind == Kind.code) return readCode(field, at);
  if (byte != 0x22) return 0;
  const behind = readText(at);
  if (behind == 0 || !(isDecided || followsRule(field, kind))) return 0;
  setRange(field, textStart, textEnd);
  return behind;
}

function setRange(field: i32, start: usize, end: usize): void {
  store<u32>(starts + ((<usize>field) << 2), <u32>start);
  store<u32>(ends + ((<usize>field) << 2), <u32>end);
}

/** A code of one digit; that it is no part of a longer number shows in what follows it. */
function readCode(field: i32, at: usize): usize {
  const digit = <i32>load<u8>(at) - 0x30;
  if (!isDigit(load<u8>(at)) || !isKnownCode(field, digit)) return 0;
  setRange(field, at, at + 1);
  return at + 1;
}

/** Of the text that was read last. */
function followsRule(field: i32, kind: i32): bool {
  switch (kind) {
    case Kind.email:
      return readEmail(textStart, textEnd, textPoints);
    case Kind.phone:
      return isPhone(textStart, textEnd);
    case Kind.birthday:
      return isBirthday(textStart, textEnd);
    case Kind.date:
      return isUtcDate(textStart, textEnd);
    default:
      return (
        textPoints <= mostPoints(field) && (!hasFlag(field, Flag.notBlank) || hasInk(textStart, textEnd))
      );
  }
}

/** `+` and 6 to 20 digits. */
function isPhone(start: usize, end: usize): bool {
  const digits = end - start - 1;
  if (digits < 6 || digits > 20 || load<u8>(start) != 0x2b) return false;
  for (let at = start + 1; at < end; at++) if (!isDigit(load<u8>(at))) return false;
  return true;
}

function isWhole(): bool {
  if ((given & requiredFields) != requiredFields) return false;
  return dimensionCount == 0 || settleDimensions();
}

/** Takes out the dimensions that are null and those that repeat a field. */
function settleDimensions(): bool {
  let isSettled = true;
  for (let index = dimensionCount - 1; index >= 0 && isSettled; index--) {
    if (dimensionValue(index) == 0) continue;
    const field = fieldNamed(dimensionName(index), endOfDimensionName(index));
    if (field >= 0 && hasFlag(field, Flag.mirrored))
      isSettled = dropRepeated(index, startOf(field), endOf(field));
  }
  return isSettled && keepGiven();
}
