import { invitations } from '@rollcall/domain';

const DAY_MS = 24 * 60 * 60_000;

/** `yyyy-MM-dd` in this zone. */
export const dayOf = (at: number, timeZone: string): string => invitations.localMoment(at, timeZone).date;

/** When this day begins there (ms); a day that a zone has left out begins with the next one. NaN for no date. */
export function startOfDay(date: string, timeZone: string): number {
  const around = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(around) || !/^\d{4}-\d\d-\d\d$/.test(date)) return NaN;
  const midnight = { timeZone, hour: 0, minute: 0 };
  return invitations.nextLocalTime(around - 2 * DAY_MS, midnight, (_, day) => day >= date);
}

const shifted = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

export const startOfNextDay = (date: string, timeZone: string): number =>
  startOfDay(shifted(date, 1), timeZone);

export interface DayRange {
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
