import type { CompanySettings, Language } from '@rollcall/contracts';
import { isBlank, isLongerThan, isStorable, isLocalDate, foldCase } from '@rollcall/employee-lists/text';
import { Temporal } from 'temporal-polyfill';

export interface SettingProblem {
  readonly setting: keyof CompanySettings | 'companyId';
  readonly problem: string;
}

/** All wrong settings at once. */
export interface CompanyRejection {
  readonly reason: 'settings-invalid';
  readonly problems: readonly SettingProblem[];
}

const clock = /^(?:([01]\d|2[0-3]):([0-5]\d)|24:00)$/;

/** Minutes since midnight of `HH:mm`, with `24:00`; undefined for other texts. */
export function minutesOfDay(time: string): number | undefined {
  const match = clock.exec(time);
  if (!match) return undefined;
  return match[1] === undefined ? 24 * 60 : Number(match[1]) * 60 + Number(match[2]);
}

/** IANA names only; offsets such as `+02:00` are refused. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    // `Intl` knows more: `IST` may be one of three zones.
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}

function textProblem(text: string, max: number): string | undefined {
  if (isBlank(text)) return 'must not be blank';
  if (isLongerThan(text, max)) return `must be at most ${max} characters`;
  return isStorable(text) ? undefined : 'must be text without control character 0 and broken surrogate pairs';
}

function hoursProblem({ from, to }: CompanySettings['businessHours']): string | undefined {
  const start = minutesOfDay(from);
  const end = minutesOfDay(to);
  if (start === undefined || end === undefined) return 'must be two times HH:mm, for example 08:00 and 17:00';
  return start < end ? undefined : 'must begin before they end, on the same day';
}

function daysProblem(days: readonly number[]): string | undefined {
  if (days.some((day) => !Number.isInteger(day) || day < 1 || day > 7))
    return 'must be days from 1 (Monday) to 7 (Sunday)';
  return days.every((day, index) => day > (days[index - 1] ?? 0))
    ? undefined
    : 'must be in order, each day once';
}

const most = { dimensions: 100, languages: 500, holidays: 5_000 };

function dimensionsProblem(names: readonly string[]): string | undefined {
  if (names.length > most.dimensions) return `must be at most ${most.dimensions}`;
  for (const name of names) {
    const problem = textProblem(name, 50);
    if (problem) return problem;
  }
  return undefined;
}

function holidaysProblem(holidays: readonly string[]): string | undefined {
  if (holidays.length > most.holidays) return `must be at most ${most.holidays}`;
  return holidays.every(isLocalDate) ? undefined : 'must be dates yyyy-MM-dd that exist';
}

function languageProblem({ id, label, code }: Language): string | undefined {
  if (!Number.isSafeInteger(id) || id < 1) return 'must have ids that are positive integers';
  return textProblem(label, 100) ?? textProblem(code, 35);
}

function languagesProblem(languages: readonly Language[]): string | undefined {
  if (languages.length > most.languages) return `must be at most ${most.languages}`;
  for (const language of languages) {
    const problem = languageProblem(language);
    if (problem) return problem;
  }
  const ids = new Set(languages.map(({ id }) => id));
  return ids.size === languages.length ? undefined : 'must name each id once';
}

const batchLimitProblem = (percent: number | null): string | undefined =>
  percent === null || (percent >= 0 && percent <= 100)
    ? undefined
    : 'must be a percentage from 0 to 100, or none';

const countProblem = (count: number): string | undefined =>
  Number.isSafeInteger(count) && count >= 0 ? undefined : 'must be an integer from 0 on';

const momentProblem = (text: string): string | undefined =>
  Number.isNaN(Date.parse(text)) ? 'must begin at a moment' : undefined;

const queueThresholdProblem = (count: number | null): string | undefined =>
  count === null || (Number.isSafeInteger(count) && count >= 1)
    ? undefined
    : 'must be a positive integer, or none';

const flagProblem = (): undefined => undefined;

const rules: { readonly [K in keyof CompanySettings]: (settings: CompanySettings) => string | undefined } = {
  name: ({ name }) => textProblem(name, 150),
  timeZone: ({ timeZone }) =>
    isTimeZone(timeZone) ? undefined : 'must be the IANA name of a time zone, for example Europe/Copenhagen',
  businessDays: ({ businessDays }) => daysProblem(businessDays),
  businessHours: ({ businessHours }) => hoursProblem(businessHours),
  holidays: ({ holidays }) => holidaysProblem(holidays),
  integrationEnabled: flagProblem,
  hierarchyEnabled: flagProblem,
  departmentDimensions: ({ departmentDimensions }) => dimensionsProblem(departmentDimensions),
  divisionDimensions: ({ divisionDimensions }) => dimensionsProblem(divisionDimensions),
  projectDimensions: ({ projectDimensions }) => dimensionsProblem(projectDimensions),
  languages: ({ languages }) => languagesProblem(languages),
  batchLimit: ({ batchLimit }) => batchLimitProblem(batchLimit),
  queueThreshold: ({ queueThreshold }) => queueThresholdProblem(queueThreshold),
  autoInvite: flagProblem,
  batchLimitFrom: ({ batchLimitFrom }) => countProblem(batchLimitFrom),
  overLimit: flagProblem,
  batchLimitThen: ({ batchLimitThen }) =>
    batchLimitThen === null
      ? undefined
      : (momentProblem(batchLimitThen.from) ?? batchLimitProblem(batchLimitThen.limit)),
};

const settingNames = Object.keys(rules) as (keyof CompanySettings)[];

function problemOf(setting: keyof CompanySettings, settings: CompanySettings): SettingProblem[] {
  const problem = rules[setting](settings);
  return problem === undefined ? [] : [{ setting, problem }];
}

/** A dimension's name decides the department's type (interface.md, "ManagerRole"), so it must be unique. */
function repeatedDimensions(settings: CompanySettings): SettingProblem[] {
  const seen = new Set<string>();
  const problems: SettingProblem[] = [];
  for (const setting of ['departmentDimensions', 'divisionDimensions', 'projectDimensions'] as const) {
    for (const name of settings[setting].map(foldCase)) {
      if (seen.has(name))
        problems.push({ setting, problem: 'must not repeat a name, in another kind of dimensions either' });
      seen.add(name);
    }
  }
  return problems;
}

/** In the order of `CompanySettings`. */
export function settingsProblems(settings: CompanySettings): readonly SettingProblem[] {
  return [
    ...settingNames.flatMap((setting) => problemOf(setting, settings)),
    ...repeatedDimensions(settings),
  ];
}

/** Percent, in force at this moment (ms since the epoch); null: none. A limit that was set for a time goes back by itself. */
export const batchLimitAt = (
  { batchLimit, batchLimitThen }: Pick<CompanySettings, 'batchLimit' | 'batchLimitThen'>,
  now: number,
): number | null =>
  batchLimitThen !== null && Date.parse(batchLimitThen.from) <= now ? batchLimitThen.limit : batchLimit;
