import type { CompanySettings } from '@rollcall/contracts';
import { minutesOfDay } from '../companies/settings-rules.js';
import { canonicalUtcDate, parseUtcDate } from '../text/dates.js';
import { localMoment, nextLocalTime } from './local-moments.js';

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

function defaultDue(receivedAt: number, calendar: Calendar): number {
  if (isInBusinessHours(receivedAt, calendar)) return receivedAt;
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
 * For one import: gives each new employee's due time, ISO 8601 UTC to the second, or null where no invitation is due
 * (docs/contract, "Invitations"; interface.md, "Limits"). `receivedAt` is when the call came in, ms since the epoch.
 * An InvitationDate, which must be valid, stands, also with auto-invite off; one that is past means at once, a fraction is
 * rounded up, at most to 9999-12-31T23:59:59Z. Without it: at once in business hours (their end is exclusive), else at the next 08:00 of a business day that
 * is no holiday. A company without business days is never in business hours, and every day but a holiday counts.
 * The zone's arithmetic is done at most once, so a call costs a comparison of texts.
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

/** .NET's last moment, which many systems send for "never", would lead to the year 10000: no text of it orders rightly. */
const last = '9999-12-31T23:59:59Z';

function roundedUp(date: string): string {
  const whole = `${date.slice(0, 19)}Z`;
  const instant = parseUtcDate(whole);
  if (instant === null) throw new RangeError('An InvitationDate that was not validated reached the planner.');
  if (whole === last || canonicalUtcDate(date) === whole) return whole;
  return isoSeconds(instant + 1000);
}

/** `invitationDuePlanner` for a single employee. */
export const invitationDue = (
  settings: CompanySettings,
  receivedAt: number,
  invitationDate: string | undefined,
): string | null => invitationDuePlanner(settings, receivedAt)(invitationDate);
