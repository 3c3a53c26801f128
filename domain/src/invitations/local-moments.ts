import { Temporal } from 'temporal-polyfill';

/** ISO weekday (1 = Monday) and local date `yyyy-MM-dd`. */
export type DayFilter = (weekday: number, date: string) => boolean;

export interface LocalTime {
  /** IANA name. */
  readonly timeZone: string;
  readonly hour: number;
  readonly minute: number;
}

const inZone = (instant: number, timeZone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);

export interface LocalMoment {
  readonly weekday: number;
  readonly date: string;
  readonly minuteOfDay: number;
}

/** Wall clock and calendar at an instant (ms since the epoch). */
export function localMoment(instant: number, timeZone: string): LocalMoment {
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
