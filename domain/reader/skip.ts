/* Finds the end of a value by quotes and brackets alone, in pieces: what lies between may still be malformed. */

let depth = 0;
let isBare: bool = false;
let isInText: bool = false;
let isEscaped: bool = false;

/** Begins the value whose first byte this is; false where no value begins with it. */
export function beginSkip(byte: u32): bool {
  depth = 0;
  isInText = false;
  isEscaped = false;
  isBare = byte != 0x22 && !isOpening(byte);
  return !isBare || isPartOfBare(byte);
}

function isOpening(byte: u32): bool {
  return byte == 0x7b || byte == 0x5b;
}

/** Whether a byte can be part of a value without quotes and brackets. */
function isPartOfBare(byte: u32): bool {
  if (byte <= 0x2c)
    return byte != 0x22 && byte != 0x2c && byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09;
  return (byte | 0x20) != 0x7b && (byte | 0x20) != 0x7d;
}

/** Whether the value has no end of its own: it ends where the list does. */
export function endsAnywhere(): bool {
  return isBare;
}

/** Behind the value; 0 where its end does not lie in front of `end`. Then it goes on with what follows. */
export function skipOn(start: usize, end: usize): usize {
  let at = start;
  while (at < end) {
    const byte = load<u8>(at);
    if (isBare) {
      if (!isPartOfBare(byte)) return at;
      at++;
    } else {
      at++;
      if (isLastOf(byte)) return at;
    }
  }
  return 0;
}

/** Over one byte of a text, an object or an array; true where it ends the value. */
function isLastOf(byte: u32): bool {
  if (isInText) return isLastOfText(byte);
  if (byte == 0x22) isInText = true;
  else if (isOpening(byte)) depth++;
  else if (byte == 0x7d || byte == 0x5d) return --depth == 0;
  return false;
}

function isLastOfText(byte: u32): bool {
  if (isEscaped) isEscaped = false;
  else if (byte == 0x5c) isEscaped = true;
  else if (byte == 0x22) {
    isInText = false;
    return depth == 0;
  }
  return false;
}
