import { patterns } from '@rollcall/contracts';

const utcDate = new RegExp(patterns.utcDate, 'u');
const localDate = new RegExp(patterns.localDate, 'u');

function dayExists(match: RegExpExecArray): boolean {
  const day = Number(match[3]);
  if (day <= 28) return true;
  const year = Number(match[1]);
  const month = Number(match[2]);
  if (month === 2) return day === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= 30 || ![4, 6, 9, 11].includes(month);
}

function matchExisting(pattern: RegExp, text: string): RegExpExecArray | null {
  const match = pattern.exec(text);
  return match && dayExists(match) ? match : null;
}

/** `yyyy-MM-ddTHH:mm:ssZ`, optionally with 1 to 9 digits of a second, and a day that exists (docs/contract, "Dates"). */
export const isUtcDate = (text: string): boolean => matchExisting(utcDate, text) !== null;

/** What would be right if it ended in Z. */
const otherZone = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[+-]\d{2}(?::?\d{2})?)?$/;

/** The rule that a value breaks which is no date in the one accepted form. */
export const utcDateRule = (value: unknown): string =>
  typeof value === 'string' && otherZone.test(value)
    ? 'must be in UTC, ending in Z: yyyy-MM-ddTHH:mm:ssZ'
    : 'must be a date that exists, yyyy-MM-ddTHH:mm:ssZ';

/** Milliseconds since the epoch, cut to whole ones; null where the text is not a date in the one accepted form. */
export function parseUtcDate(text: string): number | null {
  const match = matchExisting(utcDate, text);
  if (!match) return null;
  const milliseconds = (match[4] ?? '').slice(0, 3).padEnd(3, '0');
  return Date.parse(`${text.slice(0, 19)}.${milliseconds}Z`);
}

/**
 * One text for one moment: without zeros at the end of the fraction, `.000Z` becomes `Z`. Two such texts without
 * their `Z` are ordered as their moments are. A text in another form comes back unchanged.
 */
export function canonicalUtcDate(text: string): string {
  return text.charCodeAt(19) === 0x2e ? text.replace(/\.?0*Z$/, 'Z') : text;
}

/** Whether one valid date is later than the other, to the last digit of their fractions. */
export function isUtcDateAfter(later: string, earlier: string): boolean {
  return canonicalUtcDate(later).slice(0, -1) > canonicalUtcDate(earlier).slice(0, -1);
}

/** `yyyy-MM-dd` of a day that exists, without a time. */
export const isLocalDate = (text: string): boolean => matchExisting(localDate, text) !== null;

/** `yyyy-MM-dd` or the date format (docs/contract, "Birthday"). Compare birthdays by `canonicalUtcDate`. */
export const isBirthday = (text: string): boolean => isLocalDate(text) || isUtcDate(text);
