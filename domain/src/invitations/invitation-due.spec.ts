import type { CompanySettings } from '@rollcall/contracts';
import tap, { type Test } from 'tap';
import { defaultSettings } from '../companies/decide.js';
import { invitationDue, invitationDuePlanner, nextLocalTime } from './invitation-due.js';

interface Sentence {
  readonly given?: Partial<CompanySettings>;
  /** The call comes in. */
  readonly when: string;
  readonly invitationDate?: string;
  readonly then: string | null;
}

const copenhagen: Partial<CompanySettings> = { timeZone: 'Europe/Copenhagen' };
const allWeek = [1, 2, 3, 4, 5, 6, 7];

function say(test: Test, sentences: Readonly<Record<string, Sentence>>): void {
  for (const [name, { given = copenhagen, when, invitationDate, then }] of Object.entries(sentences)) {
    test.test(name, async (t) => {
      const settings = { ...defaultSettings(1), ...given };
      t.equal(invitationDue(settings, Date.parse(when), invitationDate), then);
    });
  }
}

tap.test('Monday to Friday, 08:00 to 17:00, in Copenhagen', async (t) => {
  say(t, {
    'in business hours: at once': { when: '2026-11-23T09:00:00.000Z', then: '2026-11-23T09:00:00Z' },
    'the fraction of a second is dropped': { when: '2026-11-23T09:00:00.999Z', then: '2026-11-23T09:00:00Z' },
    'at the stroke of 08:00: at once': { when: '2026-11-23T07:00:00Z', then: '2026-11-23T07:00:00Z' },
    'a millisecond before: at 08:00': { when: '2026-11-23T06:59:59.999Z', then: '2026-11-23T07:00:00Z' },
    'a millisecond before 17:00: at once': { when: '2026-11-23T15:59:59.999Z', then: '2026-11-23T15:59:59Z' },
    'at the stroke of 17:00: tomorrow': { when: '2026-11-23T16:00:00Z', then: '2026-11-24T07:00:00Z' },
    'on Friday evening: on Monday': { when: '2026-11-20T17:00:00Z', then: '2026-11-23T07:00:00Z' },
    'on Saturday at noon: on Monday': { when: '2026-11-21T11:00:00Z', then: '2026-11-23T07:00:00Z' },
    'over the night of a new year': { when: '2026-12-31T17:00:00Z', then: '2027-01-01T07:00:00Z' },
    'over the spring change of the clock': { when: '2026-03-27T20:00:00Z', then: '2026-03-30T06:00:00Z' },
    'over the autumn change of the clock': { when: '2026-10-23T20:00:00Z', then: '2026-10-26T07:00:00Z' },
    'a call at 16:59, whenever its import runs': {
      when: '2026-11-23T15:59:59.999Z',
      then: '2026-11-23T15:59:59Z',
    },
  });
});

const zones = { copenhagen: 'Europe/Copenhagen', newYork: 'America/New_York', sydney: 'Australia/Sydney' };
const inZone = (timeZone: string): Partial<CompanySettings> => ({ timeZone, businessDays: allWeek });

tap.test('on the day on which the clock changes', async (t) => {
  say(t, {
    'Copenhagen, spring: 08:00 is an hour nearer': {
      given: inZone(zones.copenhagen),
      when: '2026-03-29T00:59:59Z',
      then: '2026-03-29T06:00:00Z',
    },
    'Copenhagen, spring: business hours have begun': {
      given: inZone(zones.copenhagen),
      when: '2026-03-29T06:00:00Z',
      then: '2026-03-29T06:00:00Z',
    },
    'Copenhagen, autumn: 08:00 is an hour farther': {
      given: inZone(zones.copenhagen),
      when: '2026-10-25T06:59:59Z',
      then: '2026-10-25T07:00:00Z',
    },
    'Copenhagen, autumn: business hours end an hour later': {
      given: inZone(zones.copenhagen),
      when: '2026-10-25T15:59:59Z',
      then: '2026-10-25T15:59:59Z',
    },
    'New York, spring': {
      given: inZone(zones.newYork),
      when: '2026-03-08T11:59:59Z',
      then: '2026-03-08T12:00:00Z',
    },
    'New York, autumn': {
      given: inZone(zones.newYork),
      when: '2026-11-01T12:59:59Z',
      then: '2026-11-01T13:00:00Z',
    },
    'Sydney, autumn': {
      given: inZone(zones.sydney),
      when: '2026-04-04T21:59:59Z',
      then: '2026-04-04T22:00:00Z',
    },
    'Sydney, spring': {
      given: inZone(zones.sydney),
      when: '2026-10-03T20:59:59Z',
      then: '2026-10-03T21:00:00Z',
    },
  });
});

tap.test("at a year's end", async (t) => {
  const given = { timeZone: 'Asia/Kathmandu', businessDays: allWeek };
  say(t, {
    'Kathmandu is in the new year, and UTC is not': {
      given: { ...given, holidays: ['2027-01-01'] },
      when: '2026-12-31T18:15:00Z',
      then: '2027-01-02T02:15:00Z',
    },
    'holidays on both sides': {
      given: { ...given, holidays: ['2026-12-31', '2027-01-01'] },
      when: '2026-12-30T11:15:00Z',
      then: '2027-01-02T02:15:00Z',
    },
    'the last second of business hours of the year': {
      given,
      when: '2026-12-31T11:14:59Z',
      then: '2026-12-31T11:14:59Z',
    },
  });
});

tap.test('other calendars', async (t) => {
  const holidays = ['2026-12-24', '2026-12-25', '2027-01-01'];
  const given = { ...copenhagen, holidays };
  const noDays = { ...copenhagen, businessDays: [] };
  const late = { ...copenhagen, businessHours: { from: '10:00', to: '24:00' } };
  say(t, {
    'a holiday is no business day': { given, when: '2026-12-25T09:00:00Z', then: '2026-12-28T07:00:00Z' },
    'nor is it the next one': { given, when: '2026-12-31T17:00:00Z', then: '2027-01-04T07:00:00Z' },
    'Wednesdays only': {
      given: { ...copenhagen, businessDays: [3] },
      when: '2026-11-25T16:00:00Z',
      then: '2026-12-02T07:00:00Z',
    },
    'no business days: the next 08:00 of any day': {
      given: noDays,
      when: '2026-11-23T09:00:00Z',
      then: '2026-11-24T07:00:00Z',
    },
    'no business days: holidays are left out all the same': {
      given: { ...noDays, holidays },
      when: '2026-12-23T09:00:00Z',
      then: '2026-12-26T07:00:00Z',
    },
    'hours that begin later than 08:00': {
      given: late,
      when: '2026-11-23T08:30:00Z',
      then: '2026-11-24T07:00:00Z',
    },
    'hours up to midnight': { given: late, when: '2026-11-23T22:59:59Z', then: '2026-11-23T22:59:59Z' },
    'a holiday on every day of two years': {
      given: { ...copenhagen, holidays: everyDay('2026-01-01', 730) },
      when: '2026-11-23T09:00:00Z',
      then: '2028-01-03T07:00:00Z',
    },
  });
});

tap.test('other zones', async (t) => {
  const newYork = { timeZone: 'America/New_York' };
  const sydney = { timeZone: 'Australia/Sydney' };
  const kathmandu = { timeZone: 'Asia/Kathmandu' };
  say(t, {
    'New York, spring': { given: newYork, when: '2026-03-06T23:00:00Z', then: '2026-03-09T12:00:00Z' },
    'New York, autumn': { given: newYork, when: '2026-10-30T22:00:00Z', then: '2026-11-02T13:00:00Z' },
    'Sydney, autumn': { given: sydney, when: '2026-04-03T07:00:00Z', then: '2026-04-05T22:00:00Z' },
    'Sydney, spring': { given: sydney, when: '2026-10-02T08:00:00Z', then: '2026-10-04T21:00:00Z' },
    'Sydney, Monday there and Sunday in UTC': {
      given: sydney,
      when: '2026-11-22T22:30:00Z',
      then: '2026-11-22T22:30:00Z',
    },
    'Kathmandu, just before 08:00': {
      given: kathmandu,
      when: '2026-11-23T02:14:59Z',
      then: '2026-11-23T02:15:00Z',
    },
    'Kathmandu, 08:00': { given: kathmandu, when: '2026-11-23T02:15:00Z', then: '2026-11-23T02:15:00Z' },
    'Kathmandu, 17:00': { given: kathmandu, when: '2026-11-23T11:15:00Z', then: '2026-11-24T02:15:00Z' },
  });
});

tap.test('hours that do not exist, and hours that exist twice', async (t) => {
  const always = { ...copenhagen, businessDays: allWeek };
  const inGap = { ...always, businessHours: { from: '02:30', to: '04:00' } };
  const inFold = { ...always, businessHours: { from: '02:00', to: '02:30' } };
  const apia = { timeZone: 'Pacific/Apia' };
  const kwajalein = {
    timeZone: 'Pacific/Kwajalein',
    businessDays: allWeek,
    businessHours: { from: '00:00', to: '00:01' },
  };
  say(t, {
    'hours that begin in a gap have not begun before it': {
      given: inGap,
      when: '2026-03-29T00:59:59Z',
      then: '2026-03-29T06:00:00Z',
    },
    'and have begun behind it': { given: inGap, when: '2026-03-29T01:00:00Z', then: '2026-03-29T01:00:00Z' },
    'the first of two equal hours': {
      given: inFold,
      when: '2026-10-25T00:10:00Z',
      then: '2026-10-25T00:10:00Z',
    },
    'between the two': { given: inFold, when: '2026-10-25T00:40:00Z', then: '2026-10-25T07:00:00Z' },
    'the second of two equal hours': {
      given: inFold,
      when: '2026-10-25T01:10:00Z',
      then: '2026-10-25T01:10:00Z',
    },
    'a Friday that Samoa left out: Monday': {
      given: apia,
      when: '2011-12-30T04:00:00Z',
      then: '2012-01-01T18:00:00Z',
    },
    'a day that Samoa left out: the day behind it': {
      given: { ...apia, businessDays: allWeek },
      when: '2011-12-30T04:00:00Z',
      then: '2011-12-30T18:00:00Z',
    },
    'the first 08:00 of a day that Kwajalein lived twice': {
      given: kwajalein,
      when: '1969-09-29T20:00:00Z',
      then: '1969-09-29T21:00:00Z',
    },
    'the second one': { given: kwajalein, when: '1969-09-29T21:00:00Z', then: '1969-09-30T20:00:00Z' },
  });

  t.test('a time in a gap is as far behind the beginning of the gap', async (t) => {
    const time = { timeZone: 'Europe/Copenhagen', hour: 2, minute: 30 };
    const moment = nextLocalTime(Date.parse('2026-03-28T12:00:00Z'), time, () => true);
    t.equal(new Date(moment).toISOString(), '2026-03-29T01:30:00.000Z');
  });
});

tap.test('an InvitationDate stands', async (t) => {
  const when = '2026-11-21T11:00:00.400Z';
  const off = { ...copenhagen, autoInvite: false };
  say(t, {
    'past: at once, also outside business hours': {
      when,
      invitationDate: '2020-02-29T23:59:59Z',
      then: '2026-11-21T11:00:00Z',
    },
    'this very second': { when, invitationDate: '2026-11-21T11:00:00Z', then: '2026-11-21T11:00:00Z' },
    'in a second': { when, invitationDate: '2026-11-21T11:00:01Z', then: '2026-11-21T11:00:01Z' },
    'in ten years': { when, invitationDate: '2036-11-21T11:00:00Z', then: '2036-11-21T11:00:00Z' },
    'a fraction is rounded up': {
      when,
      invitationDate: '2036-11-21T11:00:00.001Z',
      then: '2036-11-21T11:00:01Z',
    },
    'no fraction worth the name': {
      when,
      invitationDate: '2036-11-21T11:00:00.000Z',
      then: '2036-11-21T11:00:00Z',
    },
    'a company without business days': {
      given: { ...copenhagen, businessDays: [] },
      when,
      invitationDate: '2026-11-22T03:00:00Z',
      then: '2026-11-22T03:00:00Z',
    },
    'on a holiday in the night': {
      given: { ...copenhagen, holidays: ['2026-12-25'] },
      when,
      invitationDate: '2026-12-25T02:30:00Z',
      then: '2026-12-25T02:30:00Z',
    },
    'auto-invite off': { given: off, when, then: null },
    'auto-invite off, with one that is past': {
      given: off,
      when,
      invitationDate: '2020-01-01T00:00:00Z',
      then: '2026-11-21T11:00:00Z',
    },
    'auto-invite off, in business hours': { given: off, when: '2026-11-23T09:00:00Z', then: null },
    'auto-invite off, with an InvitationDate': {
      given: off,
      when,
      invitationDate: '2036-11-21T11:00:00Z',
      then: '2036-11-21T11:00:00Z',
    },
  });

  t.test('one that was not validated is a bug', async (t) => {
    t.throws(() => invitationDue(defaultSettings(1), 0, 'soon'), RangeError);
  });
});

tap.test('one planner answers for a whole import', async (t) => {
  const due = invitationDuePlanner(
    { ...defaultSettings(1), ...copenhagen },
    Date.parse('2026-11-21T11:00:00Z'),
  );
  t.equal(due(), '2026-11-23T07:00:00Z');
  t.equal(due('2027-01-01T00:00:00Z'), '2027-01-01T00:00:00Z');
  t.equal(due(), '2026-11-23T07:00:00Z');
});

function everyDay(first: string, count: number): string[] {
  return Array.from({ length: count }, (_, day) =>
    new Date(Date.parse(first) + day * 86_400_000).toISOString().slice(0, 10),
  );
}
