import { maxEmailLength } from '../text/emails.js';

const local = 1;
const alphanumeric = 2;
const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (/[a-zA-Z0-9]/.test(character)) return local | alphanumeric;
  return /[.!#$%&'*+/=?^_`{|}~-]/.test(character) ? local : 0;
});
const dot = 0x2e;
const hyphen = 0x2d;

/** Whether an ASCII e-mail address follows the rule of `isEmailAddress`; false where that is to be asked. */
export function isPlainEmail(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > maxEmailLength) return false;
  let at = start;
  while (at < end && ((kinds[bytes[at] as number] as number) & local) !== 0) at++;
  return at > start && bytes[at] === 0x40 && isDomain(bytes, at + 1, end);
}

/** Labels of letters, digits and inner hyphens, at most 63 long, with at least one dot between them. */
function isDomain(bytes: Uint8Array, start: number, end: number): boolean {
  let label = start;
  let dots = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === dot) {
      if (!isLabel(bytes, label, at)) return false;
      label = at + 1;
      dots++;
    } else if (byte !== hyphen && ((kinds[byte] as number) & alphanumeric) === 0) return false;
  }
  return dots > 0 && isLabel(bytes, label, end);
}

function isLabel(bytes: Uint8Array, start: number, end: number): boolean {
  return end > start && end - start <= 63 && bytes[start] !== hyphen && bytes[end - 1] !== hyphen;
}
