import type { CompanySettings } from '@rollcall/contracts';
import { minutesOfDay } from '../companies/settings-rules.js';
import { canonicalUtcDate, parseUtcDate } from '@rollcall/employee-lists/text';
import { Temporal } from 'temporal-polyfill';

const defaultHour = 8;
const lengthWithoutFraction = 'yyyy-MM-ddTHH:mm:ssZ'.length;

const isoSeconds = (instant: number): string => `${new Date(instant).toISOString().slice(0, 19)}Z`;

type Calendar = Pick<CompanySettings, 'timeZone' | 'businessDays' | 'businessHours' | 'holidays'>;

function isInBusinessHours(instant: number, calendar: Calendar): boolean {
  const { weekday, date, minuteOfDay } = localMoment(instant, calendar.timeZone);
  if (!calendar.businessDays.includes(weekday) || calendar.holidays.includes(date)) return false;
  const from = minutesOfDay(calendar.businessHours.from) ?? 0;
  const to = minutesOfDay(calendar.businessHours.to) ?? 0;
  return minuteOfDay >= from && minuteOfDay < to;
}

/** Of the last minute by calendar, undefined where it is open: no offset since 1972 has a fraction of a minute. */
const lastDues = new Map<string, { readonly minute: number; readonly due: number | undefined }>();
const maxCalendars = 1_000;

function defaultDue(receivedAt: number, calendar: Calendar): number {
  const { timeZone, businessDays, businessHours, holidays } = calendar;
  const key = JSON.stringify([timeZone, businessDays, businessHours, holidays]);
  const minute = Math.floor(receivedAt / 60_000);
  let last = lastDues.get(key);
  if (last?.minute !== minute) {
    if (lastDues.size >= maxCalendars) lastDues.clear();
    last = { minute, due: nextOpening(receivedAt, calendar) };
    lastDues.set(key, last);
  }
  return last.due ?? receivedAt;
}

function nextOpening(receivedAt: number, calendar: Calendar): number | undefined {
  if (isInBusinessHours(receivedAt, calendar)) return undefined;
  const { timeZone, businessDays, holidays } = calendar;
  const free = new Set(holidays);
  const isOpen = (weekday: number): boolean => businessDays.length === 0 || businessDays.includes(weekday);
  return nextLocalTime(
    receivedAt,
    { timeZone, hour: defaultHour, minute: 0 },
    (weekday, date) => isOpen(weekday) && !free.has(date),
  );
}

/**
 * Each new employee's due moment, ISO 8601 UTC to the second, or null (docs/contract, "Invitations"; interface.md,
 * "Limits"). `receivedAt`: ms since the epoch. A valid InvitationDate counts even with auto-invite off: past ones mean now,
 * fractions are rounded up, at most to 9999-12-31T23:59:59Z. Without it: now in business hours (end exclusive), else 08:00
 * of the next business day that is no holiday; without business days, of the next day that is no holiday.
 * The zone's arithmetic runs once per import.
 */
export function invitationDuePlanner(
  settings: CompanySettings,
  receivedAt: number,
): (invitationDate?: string) => string | null {
  const atOnce = isoSeconds(receivedAt);
  let byDefault: string | undefined;

  return (invitationDate) => {
    if (invitationDate !== undefined) {
      const hasFraction = invitationDate.length !== lengthWithoutFraction;
      const date = hasFraction ? roundedUp(invitationDate) : invitationDate;
      return date > atOnce ? date : atOnce;
    }
    if (!settings.autoInvite) return null;
    return (byDefault ??= isoSeconds(defaultDue(receivedAt, settings)));
  };
}

/** .NET's last moment, often sent for "never", would round to the year 10000, which does not sort as text. */
const last = '9999-12-31T23:59:59Z';

function roundedUp(date: string): string {
  const whole = `${date.slice(0, 19)}Z`;
  const instant = parseUtcDate(whole);
  if (instant === null) throw new RangeError('An InvitationDate that was not validated reached the planner.');
  if (whole === last || canonicalUtcDate(date) === whole) return whole;
  return isoSeconds(instant + 1000);
}

export const invitationDue = (
  settings: CompanySettings,
  receivedAt: number,
  invitationDate: string | undefined,
): string | null => invitationDuePlanner(settings, receivedAt)(invitationDate);

/** ISO weekday (1 = Monday) and local date `yyyy-MM-dd`. */
type DayFilter = (weekday: number, date: string) => boolean;

interface LocalTime {
  /** IANA name. */
  readonly timeZone: string;
  readonly hour: number;
  readonly minute: number;
}

const inZone = (instant: number, timeZone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);

/** Wall clock and calendar at an instant (ms since the epoch). */
export function localMoment(instant: number, timeZone: string) {
  const local = inZone(instant, timeZone);
  return {
    weekday: local.dayOfWeek,
    date: local.toPlainDate().toString(),
    minuteOfDay: local.hour * 60 + local.minute,
  };
}

/** In ms: two where the clock is set back, the gap's shifted moment where set forward, none where the day is skipped. */
function momentsOn(day: Temporal.PlainDate, { timeZone, hour, minute }: LocalTime): readonly number[] {
  const wall = day.toPlainDateTime(Temporal.PlainTime.from({ hour, minute }));
  const earlier = wall.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  const later = wall.toZonedDateTime(timeZone, { disambiguation: 'later' });
  const candidates = earlier.toPlainDateTime().equals(wall) ? [earlier, later] : [later];
  return candidates.filter((each) => each.toPlainDate().equals(day)).map((each) => each.epochMilliseconds);
}

/** The first matching instant (ms) after `instant`. Some day must count. */
export function nextLocalTime(instant: number, time: LocalTime, counts: DayFilter): number {
  let day = inZone(instant, time.timeZone).toPlainDate();
  for (;;) {
    if (counts(day.dayOfWeek, day.toString())) {
      const moment = momentsOn(day, time).find((each) => each > instant);
      if (moment !== undefined) return moment;
    }
    day = day.add({ days: 1 });
  }
}
