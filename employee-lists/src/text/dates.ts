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

/** `yyyy-MM-ddTHH:mm:ssZ`, 1 to 9 fraction digits allowed, an existing day (docs/contract, "Dates"). */
export const isUtcDate = (text: string): boolean => matchExisting(utcDate, text) !== null;

const otherZone = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[+-]\d{2}(?::?\d{2})?)?$/;

export const utcDateRule = (value: unknown): string =>
  typeof value === 'string' && otherZone.test(value)
    ? 'must be in UTC, ending in Z: yyyy-MM-ddTHH:mm:ssZ'
    : 'must be a date that exists, yyyy-MM-ddTHH:mm:ssZ';

/** Whole ms since the epoch; null for another form. */
export function parseUtcDate(text: string): number | null {
  const match = matchExisting(utcDate, text);
  if (!match) return null;
  const milliseconds = (match[4] ?? '').slice(0, 3).padEnd(3, '0');
  return Date.parse(`${text.slice(0, 19)}.${milliseconds}Z`);
}

/** No trailing zeros; `.000Z` becomes `Z`. Without `Z` such texts sort by time. Other forms are returned unchanged. */
export function canonicalUtcDate(text: string): string {
  return text.charCodeAt(19) === 0x2e ? text.replace(/\.?0*Z$/, 'Z') : text;
}

/** Compares all digits of the fractions. */
export function isUtcDateAfter(later: string, earlier: string): boolean {
  return canonicalUtcDate(later).slice(0, -1) > canonicalUtcDate(earlier).slice(0, -1);
}

/** `yyyy-MM-dd` of an existing day. */
export const isLocalDate = (text: string): boolean => matchExisting(localDate, text) !== null;

/** docs/contract, "Birthday". Compare by `canonicalUtcDate`. */
export const isBirthday = (text: string): boolean => isLocalDate(text) || isUtcDate(text);
