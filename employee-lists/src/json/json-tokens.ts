export function matches(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

export function hex4(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let i = at; i < at + 4; i++) {
    const digit = hexDigit(bytes[i] ?? 0);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** The offset after the number at `at`; -1 where there is none. */
export function endOfNumber(bytes: Uint8Array, at: number): number {
  const start = bytes[at] === 0x2d ? at + 1 : at;
  const whole = endOfDigits(bytes, start);
  if (whole === start || (bytes[start] === 0x30 && whole > start + 1)) return -1;
  if (bytes[whole] !== 0x2e) return endOfExponent(bytes, whole);
  const fraction = endOfDigits(bytes, whole + 1);
  return fraction === whole + 1 ? -1 : endOfExponent(bytes, fraction);
}

function endOfExponent(bytes: Uint8Array, at: number): number {
  if (((bytes[at] ?? 0) | 0x20) !== 0x65) return at;
  const sign = bytes[at + 1];
  const start = sign === 0x2b || sign === 0x2d ? at + 2 : at + 1;
  const end = endOfDigits(bytes, start);
  return end === start ? -1 : end;
}

export function endOfDigits(bytes: Uint8Array, at: number): number {
  while ((bytes[at] ?? 0) >= 0x30 && (bytes[at] ?? 0) <= 0x39) at++;
  return at;
}
