import { invitations } from '@rollcall/domain';
import { isLocalDate } from '@rollcall/employee-lists/text';

const DAY_MS = 24 * 60 * 60_000;

/** `yyyy-MM-dd` in this zone. */
export const dayOf = (at: number, timeZone: string): string => invitations.localMoment(at, timeZone).date;

/** When the zone's clocks first show this (ms): `2026-11-25T09:14`. What they leave out comes with what is next. NaN for no moment. */
export function localTime(moment: string, timeZone: string): number {
  const [, date = '', hour, minute] = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):(\d\d)/.exec(moment) ?? [];
  if (!isLocalDate(date)) return NaN;
  const around = Date.parse(`${date}T${hour}:${minute}Z`);
  if (Number.isNaN(around)) return NaN;
  const time = { timeZone, hour: Number(hour), minute: Number(minute) };
  return invitations.nextLocalTime(around - 2 * DAY_MS, time, (_, day) => day >= date);
}

/** A day that a zone has left out begins with the next one. NaN for no date. */
export const startOfDay = (date: string, timeZone: string): number => localTime(`${date}T00:00`, timeZone);

const shifted = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

export function startOfNextDay(date: string, timeZone: string): number {
  const start = startOfDay(date, timeZone);
  if (Number.isNaN(start)) return NaN;
  return invitations.nextLocalTime(start - 1, { timeZone, hour: 0, minute: 0 }, (_, day) => day !== date);
}

interface DayRange {
  readonly now: number;
  readonly timeZone: string;
  /** Days before today, and behind it. */
  readonly before: number;
  readonly behind?: number;
}

/** When each day begins, today among them, and when the last one ends. */
export function dayEdges({ now, timeZone, before, behind = 0 }: DayRange): readonly number[] {
  const today = dayOf(now, timeZone);
  const days = Array.from({ length: before + behind + 2 }, (_, at) => shifted(today, at - before));
  return days.map((day) => startOfDay(day, timeZone));
}
