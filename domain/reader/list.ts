import { Reason, forgetOrder, readElement, reason } from './element';
import { longestElement, window, windowBytes } from './memory';
import { addRecord, completeRecords, forgetRecords, mostRecords, recordCount } from './records';
import { forgetTexts } from './repeats';
import { beginSkip, endsAnywhere, skipOn } from './skip';
import { space } from './text';

/** Why `readList` has come back. */
export enum Stop {
  none,
  /** All is read but for the beginning of an element: more bytes are wanted. */
  input,
  /** An element is left to the rules in full. */
  unsettled,
  /** An element was read, and repeats a text of another one. */
  repeated,
  /** The list is over. */
  end,
  /** It is no list: `problem` tells why. */
  malformed,
  /** There is room for no more records. */
  full,
}

/** What is wrong with a list that is malformed. */
export enum Problem {
  none,
  empty,
  noArray,
  unended,
  noComma,
  textBehind,
}

/** What comes next. */
enum Phase {
  start,
  firstElement,
  element,
  comma,
  nothing,
}

/** Where the window begins in the list, in bytes; and what is still to be read of it. */
let base: u32 = 0;
let at: usize = window;
let end: usize = window;
let isLast: bool = false;
let phase: Phase = Phase.start;

/** The elements so far. */
export let elementCount: u32 = 0;
/** Where the last one begins: in the list, and in the window as long as it is held there. */
export let elementStart: u32 = 0;
let element: usize = window;
/** Whether its end is looked for, it did not lie in the window, and its beginning is still there. */
let isSkipping: bool = false;
let isCut: bool = false;
let isHeld: bool = false;
export let unsettledReason: Reason = Reason.none;

export let problem: Problem = Problem.none;
/** Where in the list. */
export let problemAt: u32 = 0;

/** Begins a list of about so many elements. */
export function beginList(expected: u32): void {
  base = 0;
  at = window;
  end = window;
  isLast = false;
  phase = Phase.start;
  elementCount = 0;
  isSkipping = false;
  problem = Problem.none;
  forgetOrder();
  forgetTexts(expected);
}

/** Where the bytes that follow are to be written, and how many at most. */
export function inputPlace(): usize {
  return end;
}
export function inputRoom(): usize {
  return window + windowBytes - end;
}

/** So many bytes were written there. */
export function addInput(length: usize): void {
  end += length;
  // What is read at once ends here at the latest: no JSON text goes on over it.
  v128.store(end, i8x16.splat(0));
}

/** No bytes follow. */
export function endInput(): void {
  isLast = true;
}

/** Where in the list the next byte stands: behind the element that was read last. */
export function position(): u32 {
  return offsetOf(at);
}

function offsetOf(place: usize): u32 {
  return base + <u32>(place - window);
}

/** Reads on until there is something for the host to do. The records hold what was read meanwhile. */
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

/** Over one byte. */
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
  element = at;
  elementStart = offsetOf(at);
  const behind = settled(byte);
  if (behind != 0) return record(behind);
  if (!beginSkip(byte)) return malformed(Problem.unended, at);
  isSkipping = true;
  isCut = false;
  isHeld = true;
  return Stop.none;
}

/** Behind the element, where it could be read and is not too long; else 0, and the reason is noted. */
function settled(byte: u32): usize {
  unsettledReason = Reason.rule;
  if (byte != 0x7b) return 0;
  const behind = readElement(element);
  if (behind != 0 && behind - element <= longestElement) return behind;
  unsettledReason = behind == 0 ? reason : Reason.long;
  return 0;
}

function record(behind: usize): Stop {
  at = behind;
  phase = Phase.comma;
  return addRecord(elementCount++, elementStart, position()) ? Stop.repeated : Stop.none;
}

/** Goes on to the end of an element that was not settled, or was cut off. */
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
  if (isCut) {
    if (isHeld && settled(load<u8>(element)) != 0) return record(behind);
    if (!isHeld) unsettledReason = Reason.long;
  }
  elementCount++;
  return Stop.unsettled;
}

/** Makes room in the window; what has begun goes to its front, unless it is too long to be settled here anyway. */
function wantInput(): Stop {
  if (isLast) return endList();
  if (isSkipping) {
    isCut = true;
    if (end - element > longestElement) isHeld = false;
  }
  const kept = isSkipping && isHeld ? element : at;
  memory.copy(window, kept, end - kept);
  base = offsetOf(kept);
  at -= kept - window;
  end -= kept - window;
  element = window;
  return Stop.input;
}

/** What the end of the list means where it comes. */
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
