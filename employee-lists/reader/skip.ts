/* Finds the end of a value by quotes and brackets alone, across windows: the value may still be malformed. */

let depth = 0;
let isBare: bool = false;
let isInText: bool = false;
let isEscaped: bool = false;

/** False if no value begins with this byte. */
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

export function isPartOfBare(byte: u32): bool {
  if (byte <= 0x2c)
    return byte != 0x22 && byte != 0x2c && byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09;
  return (byte | 0x20) != 0x7b && (byte | 0x20) != 0x7d;
}

/** Whether the value may end where the list does. */
export function endsAnywhere(): bool {
  return isBare;
}

/** 0 if the end is not before `end`; the next call continues. */
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
