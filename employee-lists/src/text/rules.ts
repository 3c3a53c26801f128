import { limits, patterns } from '@rollcall/contracts';

/** For case-insensitive comparison; the final sigma equals the other. */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800;
const isLowSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xdc00;

/** Unicode code points; half a surrogate pair counts as one (docs/contract, "Strings"). */
export function codePointLength(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    if (!isLowSurrogate(text.charCodeAt(i)) || !isHighSurrogate(text.charCodeAt(i - 1))) continue;
    count--;
  }
  return count;
}

export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || codePointLength(text) > max);
}

export function shortened(text: string, max: number): string {
  if (!isLongerThan(text, max)) return text;
  return `${Array.from(text.slice(0, 2 * max))
    .slice(0, max)
    .join('')}…`;
}

export const isBlank = (text: string): boolean => text.trim() === '';

/** No NUL and no lone surrogate, which UTF-8 cannot hold. */
export const isStorable = (text: string): boolean => !text.includes('\0') && !/\p{Surrogate}/u.test(text);

const ascii =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+$/;
const wide = new RegExp(patterns.email, 'u');

export const maxEmailLength = limits.email;

/** docs/contract, "Email". The narrow pattern is faster and settles nearly all. */
export function isEmailAddress(text: string): boolean {
  return !isLongerThan(text, maxEmailLength) && (ascii.test(text) || wide.test(text));
}

export const foldEmail = (email: string): string => foldCase(email);

const phone = new RegExp(patterns.phone, 'u');

/** docs/contract, "Phonenumber". */
export const isPhoneNumber = (text: string): boolean => phone.test(text);
