import { isBirthday, isUtcDate } from './dates';
import {
  dimensionCount,
  dimensionName,
  dimensionValue,
  endOfDimensionName,
  endOfDimensionValue,
  forgetDimensions,
  readDimensions,
  settleDimensions,
} from './dimensions';
import { readEmail } from './email';
import { forgetDecoded } from './escapes';
import {
  Flag,
  Kind,
  endOf,
  fieldCount,
  fieldNamed,
  forgetRanges,
  hasFlag,
  isKnownCode,
  isNamed,
  kindOf,
  mostPoints,
  nameLength,
  requiredFields,
  setRange,
  startOf,
} from './fields';
import { digitOf } from './host';
import { forgetMembers, noteMember } from './ignored';
import { isSame, longestElement } from './memory';
import { forgetNames, isNewHash, isNewName, newScope } from './names';
import { isDigit, skipNull } from './scalar';
import { hashOf } from './siphash';
import { Breach, breach, forgetBreach, noteBreach } from './strict';
import { hasInk, readText, space, textEnd, textPoints, textStart } from './text';
import { beginField, beginMember, skipValue } from './value';

/** Bit sets of fields: named (null too), with a value, with a valid text. */
let named: u32 = 0;
let given: u32 = 0;
let valid: u32 = 0;
export let problemCount: i32 = 0;

/** Names of unknown members; beyond `maxCompared` they are compared by hash. */
const unknown: usize = memory.data(128);
const maxCompared = 16;
let scope: u32 = 0;
export let unknownCount: i32 = 0;

/** A code that is not written as one digit is set to one of these. */
const digits = memory.data<u8>([0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39]);

/** The fields in the order of the last element's members: the elements of a list mostly share one order. */
const order: usize = memory.data(64);
const mostOrdered = 40;
let members: i32 = 0;
let isDecided: bool = false;

export function forgetOrder(): void {
  memory.fill(order, 0xff, 64);
}

export function isValid(field: i32): bool {
  return ((valid >> field) & 1) != 0;
}

function begin(): void {
  forgetRanges();
  named = 0;
  given = 0;
  valid = 0;
  problemCount = 0;
  unknownCount = 0;
  scope = 0;
  members = 0;
  forgetBreach();
  forgetDimensions();
  forgetDecoded();
  forgetNames();
  forgetMembers();
}

export function readElement(brace: usize): usize {
  begin();
  let at = space(brace + 1);
  if (load<u8>(at) != 0x7d) at = readMembers(at);
  if (at == 0) return 0;
  problemCount += popcnt(requiredFields & ~given) + settleDimensions();
  return at + 1;
}

function readMembers(first: usize): usize {
  let at = first;
  while (true) {
    at = readMember(at);
    if (at == 0) return 0;
    at = space(at);
    const byte = load<u8>(at);
    if (byte == 0x7d) return at;
    if (byte != 0x2c) return 0;
    at = space(at + 1);
  }
}

/** An element that is no object breaks one rule. */
export function readOther(at: usize): usize {
  begin();
  beginField();
  problemCount = 1;
  return skipValue(at, 1);
}

/** Whether the last element follows every rule and can be held. `length`: its bytes. */
export function isSettled(length: usize): bool {
  return (
    breach == Breach.none &&
    problemCount == 0 &&
    (length <= longestElement || storedBytes() <= longestElement)
  );
}

function storedBytes(): usize {
  let sum: usize = 0;
  for (let field = 0; field < fieldCount; field++)
    if (startOf(field) != 0) sum += endOf(field) - startOf(field);
  for (let index = 0; index < dimensionCount; index++)
    sum +=
      endOfDimensionName(index) - dimensionName(index) + endOfDimensionValue(index) - dimensionValue(index);
  return sum;
}

/** Like `readElement`; 0 also for an element that is not settled. */
export function readSettled(brace: usize): usize {
  const behind = readElement(brace);
  return behind != 0 && isSettled(behind - brace) ? behind : 0;
}

/** Like `readSettled`, for an element of an event: the decision has checked its texts. */
export function readDecided(brace: usize): usize {
  isDecided = true;
  const behind = readSettled(brace);
  isDecided = false;
  return behind;
}

function readMember(at: usize): usize {
  if (load<u8>(at) != 0x22) return 0;
  const place = order + <usize>members;
  let field: i32 = load<i8>(place);
  let behindName: usize = 0;
  if (field >= 0 && isNamed(field, at)) behindName = at + nameLength(field);
  else {
    behindName = readText(at);
    if (behindName == 0) return 0;
    field = fieldNamed(textStart, textEnd);
    store<i8>(place, <i8>field);
    if (field < 0) admitUnknown(at);
  }
  if (members < mostOrdered) members++;
  const colon = space(behindName);
  if (load<u8>(colon) != 0x3a) return 0;
  const value = space(colon + 1);
  return field < 0 ? skipValue(value, 2) : readField(field, value, at);
}

function admitUnknown(at: usize): void {
  beginMember(textStart, textEnd, at);
  const hash = hashOf(textStart, textEnd - textStart);
  noteMember(hash, textStart, textEnd, textPoints);
  if (unknownCount < maxCompared) compareUnknown(at);
  else {
    if (scope == 0) hashUnknown();
    if (breach == Breach.none && !isNewHash(scope, hash)) noteBreach(Breach.repeatedName, at);
  }
  unknownCount++;
}

function compareUnknown(at: usize): void {
  for (let index = 0; index < unknownCount; index++) {
    const entry = unknown + <usize>index * 8;
    if (isSame(textStart, textEnd, load<u32>(entry), load<u32>(entry, 4)))
      noteBreach(Breach.repeatedName, at);
  }
  const entry = unknown + <usize>unknownCount * 8;
  store<u32>(entry, <u32>textStart);
  store<u32>(entry, <u32>textEnd, 4);
}

function hashUnknown(): void {
  scope = newScope();
  for (let index = 0; index < maxCompared; index++) {
    const entry = unknown + <usize>index * 8;
    isNewName(scope, load<u32>(entry), load<u32>(entry, 4));
  }
}

function readField(field: i32, at: usize, name: usize): usize {
  const bit: u32 = 1 << field;
  if ((named & bit) != 0) noteBreach(Breach.repeatedName, name);
  named |= bit;
  beginField();
  const byte = load<u8>(at);
  if (byte == 0x6e) return skipNull(at);
  given |= bit;
  const kind = kindOf(field);
  if (kind == Kind.dimensions && byte == 0x7b) return readDimensions(at);
  if (kind == Kind.code) return readCode(field, at);
  return byte == 0x22 && kind != Kind.dimensions ? readFieldText(field, at) : skipWrong(at);
}

function skipWrong(at: usize): usize {
  problemCount++;
  return skipValue(at, 2);
}

function readFieldText(field: i32, at: usize): usize {
  const behind = readText(at);
  if (behind == 0) return 0;
  setRange(field, textStart, textEnd);
  if (isDecided || followsRule(field, kindOf(field))) valid |= 1 << field;
  else problemCount++;
  return behind;
}

/** One digit, or a number of any spelling that equals one. */
function readCode(field: i32, at: usize): usize {
  const behind = skipValue(at, 2);
  const byte = load<u8>(at);
  if (behind == 0 || !(byte == 0x2d || isDigit(byte))) {
    problemCount++;
    return behind;
  }
  const isPlain = behind == at + 1;
  const digit = isPlain ? <i32>byte - 0x30 : digitOf(at, behind - at);
  if (digit < 0 || !isKnownCode(field, digit)) problemCount++;
  else {
    const text = isPlain ? at : digits + <usize>digit;
    setRange(field, text, text + 1);
  }
  return behind;
}

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

function isPhone(start: usize, end: usize): bool {
  const digits = end - start - 1;
  if (digits < 6 || digits > 20 || load<u8>(start) != 0x2b) return false;
  for (let at = start + 1; at < end; at++) if (!isDigit(load<u8>(at))) return false;
  return true;
}
