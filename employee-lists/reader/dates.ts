import { isDigit } from './scalar';

/** 99 unless both bytes are digits. */
function two(at: usize): u32 {
  const tens: u32 = load<u8>(at);
  const ones: u32 = load<u8>(at + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - 0x30) * 10 + ones - 0x30 : 99;
}

function isDay(at: usize): bool {
  const century = two(at);
  const year = two(at + 2);
  const month = two(at + 5);
  const day = two(at + 8);
  if (century == 99 && !(load<u16>(at) == 0x3939)) return false;
  if (year == 99 && !(load<u16>(at + 2) == 0x3939)) return false;
  if (load<u8>(at + 4) != 0x2d || load<u8>(at + 7) != 0x2d) return false;
  return month >= 1 && month <= 12 && day >= 1 && day <= lastDay(century, year, month);
}

function lastDay(century: u32, year: u32, month: u32): u32 {
  if (month == 2) {
    const leaps = year == 0 ? century : year;
    return (leaps & 3) == 0 ? 29 : 28;
  }
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

function isTime(start: usize, end: usize): bool {
  if (load<u8>(start) != 0x54 || load<u8>(start + 3) != 0x3a || load<u8>(start + 6) != 0x3a) return false;
  if (two(start + 1) > 23 || two(start + 4) > 59 || two(start + 7) > 59) return false;
  return load<u8>(end - 1) == 0x5a && isFraction(start + 9, end - 1);
}

function isFraction(start: usize, end: usize): bool {
  if (start == end) return true;
  const digits = end - start - 1;
  if (load<u8>(start) != 0x2e || digits < 1 || digits > 9) return false;
  for (let at = start + 1; at < end; at++) if (!isDigit(load<u8>(at))) return false;
  return true;
}

/** `yyyy-MM-ddTHH:mm:ssZ`, with 1 to 9 digits of a second or none, of a day that exists. */
export function isUtcDate(start: usize, end: usize): bool {
  return end - start >= 20 && end - start <= 30 && isDay(start) && isTime(start + 10, end);
}

export function isBirthday(start: usize, end: usize): bool {
  return end - start == 10 ? isDay(start) : isUtcDate(start, end);
}

/** The end of a birthday's canonical form (no trailing zeros in the fraction), without its `Z`. */
export function endOfCanonical(start: usize, end: usize): usize {
  if (end - start <= 20) return end;
  let at = end - 1;
  while (load<u8>(at - 1) == 0x30) at--;
  return load<u8>(at - 1) == 0x2e ? at - 1 : at;
}
