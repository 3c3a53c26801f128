import { forgetOrder, isSettled, problemCount as elementProblems, readElement, readOther } from './element';
import { maxElementBytes, window, windowBytes } from './memory';
import { freeNames } from './names';
import { reduce } from './reduced';
import { addRecord, completeRecords, findOwners, forgetRecords, mostRecords, recordCount } from './records';
import { forgetTexts } from './repeats';
import { beginSkip, endsAnywhere, isPartOfBare, skipOn } from './skip';
import { Breach, breach, breachAt } from './strict';
import { space } from './text';

export enum Stop {
  none,
  input,
  /** The full rules decide on an element. */
  unsettled,
  /** An element repeats a text of another one. */
  repeated,
  end,
  malformed,
  full,
  /** Only counting, and so many elements for the bytes that the list is not read further. */
  dense,
}

export enum Reason {
  none,
  json,
  breach,
  rule,
  long,
}

/** No valid element is shorter. */
const leastElementBytes: u64 = 60;
/** A list of at most this many elements is never `dense`. */
const maxDenseElements: u32 = 16_384;

export enum Problem {
  none,
  empty,
  noArray,
  unended,
  noComma,
  textBehind,
  noElement,
}

enum Phase {
  start,
  firstElement,
  element,
  comma,
  nothing,
}

/** The window's offset in the list, and its unread bytes. */
let base: u32 = 0;
let at: usize = window;
let end: usize = window;
let isLast: bool = false;
let phase: Phase = Phase.start;

export let elementCount: u32 = 0;
/** The last element: its offset in the list, and its address while the window holds it. */
export let elementStart: u32 = 0;
let element: usize = window;
/** While the end of an element is searched: whether it was cut off, and whether its beginning is still held. */
let isSkipping: bool = false;
let isCut: bool = false;
let isHeld: bool = false;
export let unsettledReason: Reason = Reason.none;
let isCounting: bool = false;
export let countedProblems: u32 = 0;

export let problem: Problem = Problem.none;
export let problemAt: u32 = 0;

export function beginList(expected: u32): void {
  base = 0;
  at = window;
  end = window;
  isLast = false;
  phase = Phase.start;
  elementCount = 0;
  isSkipping = false;
  isCounting = false;
  countedProblems = 0;
  problem = Problem.none;
  freeNames();
  forgetOrder();
  forgetTexts(expected);
}

export function countOnly(): void {
  isCounting = true;
}

/** Where the host writes the next bytes, and how many. */
export function inputPlace(): usize {
  return end;
}
export function inputRoom(): usize {
  return window + windowBytes - end;
}

export function addInput(length: usize): void {
  endAt(end + length);
}

/** Zeros end every read: no JSON text continues over them. */
function endAt(place: usize): void {
  end = place;
  v128.store(end, i8x16.splat(0));
}

export function endInput(): void {
  isLast = true;
}

export function position(): u32 {
  return offsetOf(at);
}

/** Reduces the element that breaks a rule; the length of its text. To be called before the next `readList`. */
export function reduceElement(): usize {
  return reduce(element);
}

/** The offset of the breach. Valid until the next `readList`. */
export function breachPosition(): u32 {
  return offsetOf(breachAt);
}

function offsetOf(place: usize): u32 {
  return base + <u32>(place - window);
}

/** Reads until the host is needed. The records describe the elements read meanwhile. */
export function readList(): Stop {
  forgetRecords();
  let stop = Stop.none;
  while (stop == Stop.none) stop = isSkipping ? skipElement() : readNext();
  completeRecords();
  return stop;
}

function readNext(): Stop {
  if (problem != Problem.none) return Stop.malformed;
  at = space(at);
  if (at >= end) return wantInput();
  const byte = load<u8>(at);
  switch (phase) {
    case Phase.start:
      return byte == 0x5b ? goOn(Phase.firstElement) : malformed(Problem.noArray, at);
    case Phase.firstElement:
      return byte == 0x5d ? goOn(Phase.nothing) : beginElement(byte);
    case Phase.element:
      return beginElement(byte);
    case Phase.comma:
      return readComma(byte);
    default:
      return malformed(Problem.textBehind, at);
  }
}

function readComma(byte: u32): Stop {
  if (byte == 0x2c) return goOn(Phase.element);
  return byte == 0x5d ? goOn(Phase.nothing) : malformed(Problem.noComma, at);
}

function goOn(next: Phase): Stop {
  at++;
  phase = next;
  return Stop.none;
}

function malformed(what: Problem, place: usize): Stop {
  problem = what;
  problemAt = offsetOf(place);
  return Stop.malformed;
}

function beginElement(byte: u32): Stop {
  if (recordCount == mostRecords) return Stop.full;
  if (byte == 0x2c || byte == 0x5d) return malformed(Problem.noElement, at);
  element = at;
  elementStart = offsetOf(at);
  const behind = readWhole(byte);
  if (behind != 0) return takeElement(behind);
  if (!beginSkip(byte)) return malformed(Problem.unended, at);
  isSkipping = true;
  isCut = false;
  isHeld = true;
  return Stop.none;
}

/** 0 also for a bare value that may continue behind the window. */
function readWhole(byte: u32): usize {
  if (byte == 0x7b) return readElement(element);
  const behind = readOther(element);
  if (behind == 0 || byte == 0x22 || byte == 0x5b) return behind;
  if (behind == end) return isLast ? behind : 0;
  return isPartOfBare(load<u8>(behind)) ? 0 : behind;
}

function takeElement(behind: usize): Stop {
  at = behind;
  phase = Phase.comma;
  const length = behind - element;
  if (isCounting) return countProblems(length > maxElementBytes || breach != Breach.none);
  if (length <= maxElementBytes && isSettled(length))
    return addRecord(elementCount++, elementStart, position()) ? Stop.repeated : Stop.none;
  if (breach != Breach.none) return leave(Reason.breach);
  return leave(elementProblems > 0 ? Reason.rule : Reason.long);
}

function leave(why: Reason): Stop {
  unsettledReason = why;
  elementCount++;
  return Stop.unsettled;
}

/** @param asOne the element as a whole is the problem. */
function countProblems(asOne: bool): Stop {
  countedProblems += asOne ? 1 : elementProblems + findOwners(elementCount);
  elementCount++;
  const isDense = elementCount > maxDenseElements && <u64>elementCount * leastElementBytes > position();
  return isDense ? Stop.dense : Stop.none;
}

function skipElement(): Stop {
  const behind = skipOn(at, end);
  if (behind != 0) return endElement(behind);
  at = end;
  return wantInput();
}

function endElement(behind: usize): Stop {
  isSkipping = false;
  at = behind;
  phase = Phase.comma;
  if (!isHeld) return isCounting ? countProblems(true) : leave(Reason.long);
  return isCut && readWhole(load<u8>(element)) == behind ? takeElement(behind) : leave(Reason.json);
}

/** Moves the begun element to the front of the window, unless it is too long to be settled here. */
function wantInput(): Stop {
  if (isLast) return endList();
  if (isSkipping) {
    isCut = true;
    if (end - element > maxElementBytes) isHeld = false;
  }
  const kept = isSkipping && isHeld ? element : at;
  if (kept == window) return Stop.input;
  memory.copy(window, kept, end - kept);
  base = offsetOf(kept);
  at -= kept - window;
  endAt(end - (kept - window));
  element = window;
  return Stop.input;
}

function endList(): Stop {
  if (isSkipping) {
    if (endsAnywhere()) return endElement(at);
    isSkipping = false;
    problem = Problem.unended;
    problemAt = elementStart;
    return Stop.malformed;
  }
  switch (phase) {
    case Phase.start:
      return malformed(Problem.empty, at);
    case Phase.comma:
      return malformed(Problem.noComma, at);
    case Phase.nothing:
      return Stop.end;
    default:
      return malformed(Problem.unended, at);
  }
}
