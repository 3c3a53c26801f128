/* Reads over values of any shape by the rules of `json-scanner.ts`, without recursion. */
import { isAscii } from './memory';
import { isNewName, newScope } from './names';
import { skipScalar } from './scalar';
import { Breach, breach, noteBreach } from './strict';
import { readText, space, textEnd, textStart } from './text';

/** The list itself is the first level. */
const maxDepth: usize = 64;

/** 1 for each level that is an object. */
const kinds: usize = memory.data(1_130_560, 16);
/** Per level of an object: its first name; the scope of its names from the second on; whether the last is `constructor`. */
const firstNames: usize = memory.data(512, 16);
const scopes: usize = memory.data(256, 16);
const constructors: usize = memory.data(64, 16);

let outer: usize = 0;
let depth: usize = 0;
let isEmpty: bool = false;
let isInConstructor: bool = false;

export function beginMember(start: usize, end: usize, at: usize): void {
  isInConstructor = isAscii(start, end, 'constructor');
  if (isAscii(start, end, '__proto__')) noteBreach(Breach.forbiddenName, at);
}

export function beginField(): void {
  isInConstructor = false;
}

/** `levels`: those around the value. */
export function skipValue(start: usize, levels: usize): usize {
  outer = levels;
  depth = 0;
  let at = start;
  while (at != 0) {
    const byte = load<u8>(at);
    isEmpty = true;
    if (byte == 0x7b || byte == 0x5b) at = open(at, byte == 0x7b);
    else at = byte == 0x22 ? readText(at) : skipScalar(at);
    if (at == 0 || !isEmpty) continue;
    at = close(at);
    if (depth == 0) return at;
  }
  return 0;
}

function open(bracket: usize, isObject: bool): usize {
  if (outer + depth >= maxDepth) noteBreach(Breach.nesting, bracket);
  const at = space(bracket + 1);
  if (load<u8>(at) == (isObject ? 0x7d : 0x5d)) return at + 1;
  isEmpty = false;
  store<u8>(kinds + depth, isObject ? 1 : 0);
  if (depth < maxDepth) {
    store<u8>(constructors + depth, 0);
    store<u64>(firstNames + (depth << 3), 0);
    store<u32>(scopes + (depth << 2), 0);
  }
  depth++;
  return isObject ? readName(at) : at;
}

function close(behind: usize): usize {
  let at = behind;
  while (depth > 0) {
    at = space(at);
    const isObject = load<u8>(kinds + depth - 1) == 1;
    const byte = load<u8>(at);
    if (byte == 0x2c) return isObject ? readName(space(at + 1)) : space(at + 1);
    if (byte != (isObject ? 0x7d : 0x5d)) return 0;
    at++;
    depth--;
  }
  return at;
}

function readName(at: usize): usize {
  if (load<u8>(at) != 0x22) return 0;
  const behind = readText(at);
  if (behind == 0) return 0;
  if (breach == Breach.none) admit(at);
  const colon = space(behind);
  return load<u8>(colon) == 0x3a ? space(colon + 1) : 0;
}

/** Checks the last name. Without a breach so far the levels are within the rule. */
function admit(at: usize): void {
  const level = depth - 1;
  if (isRepeated(level)) noteBreach(Breach.repeatedName, at);
  const isIn = level == 0 ? isInConstructor : load<u8>(constructors + level - 1) == 1;
  if (isAscii(textStart, textEnd, '__proto__') || (isIn && isAscii(textStart, textEnd, 'prototype')))
    noteBreach(Breach.forbiddenName, at);
  store<u8>(constructors + level, isAscii(textStart, textEnd, 'constructor') ? 1 : 0);
}

function isRepeated(level: usize): bool {
  const first = firstNames + (level << 3);
  if (load<u32>(first) == 0) {
    store<u32>(first, <u32>textStart);
    store<u32>(first, <u32>textEnd, 4);
    return false;
  }
  let scope = load<u32>(scopes + (level << 2));
  if (scope == 0) {
    scope = newScope();
    store<u32>(scopes + (level << 2), scope);
    isNewName(scope, load<u32>(first), load<u32>(first, 4));
  }
  return !isNewName(scope, textStart, textEnd);
}
