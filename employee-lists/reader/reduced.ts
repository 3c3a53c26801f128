/* What the full rules need of an element: no unknown members, no null, nothing inside a wrong value. */
import { forgetDecoded } from './escapes';
import { Flag, Kind, fieldNamed, hasFlag, kindOf } from './fields';
import { copy } from './memory';
import { readText, space, textEnd, textStart } from './text';
import { skipValue } from './value';

export const reduced: usize = memory.data(1_130_560, 16);
let out: usize = reduced;

/** More than may be stored of one employee, so that too many stay too many. */
const maxDimensions = 128;
let dimensions = 0;

let nameStart: usize = 0;
let nameEnd: usize = 0;

/** The element at `start` must be JSON. Returns the length of the reduced text. */
export function reduce(start: usize): usize {
  out = reduced;
  dimensions = 0;
  forgetDecoded();
  if (load<u8>(start) == 0x7b) reduceMembers(start, false);
  else store<u8>(out++, 0x30);
  return out - reduced;
}

function reduceMembers(brace: usize, areDimensions: bool): usize {
  store<u8>(out++, 0x7b);
  let at = space(brace + 1);
  while (load<u8>(at) != 0x7d) {
    if (load<u8>(at) == 0x2c) at = space(at + 1);
    nameStart = at;
    nameEnd = readText(at);
    const field = fieldNamed(textStart, textEnd);
    const value = space(space(nameEnd) + 1);
    at = space(areDimensions ? reduceDimension(field, value) : reduceField(field, value));
  }
  store<u8>(out++, 0x7d);
  return at + 1;
}

function reduceField(field: i32, at: usize): usize {
  if (field >= 0 && kindOf(field) == Kind.dimensions && load<u8>(at) == 0x7b) {
    putName();
    return reduceMembers(at, true);
  }
  return reduceValue(at, field >= 0);
}

function reduceDimension(field: i32, at: usize): usize {
  const isMirrored = field >= 0 && hasFlag(field, Flag.mirrored);
  const isKept = load<u8>(at) != 0x6e && (isMirrored || dimensions < maxDimensions);
  if (isKept && !isMirrored) dimensions++;
  return reduceValue(at, isKept);
}

function reduceValue(at: usize, isKept: bool): usize {
  const byte = load<u8>(at);
  const behind = skipValue(at, 0);
  if (!isKept || byte == 0x6e) return behind;
  putName();
  if (byte == 0x7b || byte == 0x5b) {
    store<u16>(out, 0x5d5b);
    out += 2;
  } else put(at, behind);
  return behind;
}

function putName(): void {
  if (load<u8>(out - 1) != 0x7b) store<u8>(out++, 0x2c);
  put(nameStart, nameEnd);
  store<u8>(out++, 0x3a);
}

function put(start: usize, end: usize): void {
  copy(out, start, end - start);
  out += end - start;
}
