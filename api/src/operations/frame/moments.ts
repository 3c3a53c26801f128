import { html, type Html } from './html.js';

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, hourCycle: 'h23', timeZoneName: 'longOffset' },
    ...{ year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' },
  });
  formats.set(timeZone, format);
  return format;
}

const steps = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** `3 minutes ago`, `in 2 days`. */
export function agoText(at: number, now: number): string {
  const past = now - at;
  const span = Math.abs(past);
  const [unit, size] = steps.find(([, each]) => span >= each) ?? [];
  if (unit === undefined) return past >= 0 ? 'just now' : 'in less than a minute';
  const count = Math.floor(span / size);
  const text = `${count} ${unit}${count === 1 ? '' : 's'}`;
  return past >= 0 ? `${text} ago` : `in ${text}`;
}

/** `25 Nov 2026, 09:14 +01:00`. */
export function momentText(at: number, timeZone: string): string {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  const offset = of('timeZoneName').replace('GMT', '') || '+00:00';
  return `${of('day')} ${of('month')} ${of('year')}, ${of('hour')}:${of('minute')} ${offset}`;
}

export interface TimeOptions {
  /** IANA name: of the company where there is one. */
  readonly timeZone: string;
  readonly now: number;
}

/** A moment (ISO 8601 or ms) in its zone, and how long ago that was. A dash where it is unknown. */
export function time(moment: string | number | null | undefined, { timeZone, now }: TimeOptions): Html {
  const at = typeof moment === 'string' ? Date.parse(moment) : (moment ?? NaN);
  if (Number.isNaN(at)) return html`<span class="unknown">–</span>`;
  return html`<time datetime="${new Date(at).toISOString()}">${momentText(at, timeZone)}</time>
    <span class="ago">(${agoText(at, now)})</span>`;
}

const dayOfMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** `2026-11-25` as `25 Nov`. */
export const shortDay = (day: string): string => dayOfMonth.format(Date.parse(day)).replace('Sept', 'Sep');
