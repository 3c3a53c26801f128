import { plain } from '@rollcall/application';
import type { CompanySettings } from '@rollcall/contracts';

const dayNames = ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

const listed = (parts: readonly (string | undefined)[]): string => parts.join(',') || 'none';
const onOff = (flag: boolean): string => (flag ? 'on' : 'off');

const limitText = (limit: number | null): string => (limit === null ? 'none' : String(limit));

const thenText = ({ batchLimitThen: then }: CompanySettings): string =>
  then === null ? '' : ` until ${then.from}, then ${limitText(then.limit)}`;

const settingTexts = (settings: CompanySettings): readonly (readonly [name: string, value: string])[] => {
  const { businessHours, languages, batchLimit, queueThreshold } = settings;
  return [
    ['name', settings.name],
    ['time-zone', settings.timeZone],
    ['business-days', listed(settings.businessDays.map((day) => dayNames[day]))],
    ['business-hours', `${businessHours.from}-${businessHours.to}`],
    ['holidays', listed(settings.holidays)],
    ['integration', onOff(settings.integrationEnabled)],
    ['hierarchy', onOff(settings.hierarchyEnabled)],
    ['department-dimensions', listed(settings.departmentDimensions)],
    ['division-dimensions', listed(settings.divisionDimensions)],
    ['project-dimensions', listed(settings.projectDimensions)],
    ['languages', listed(languages.map(({ id, code, label }) => `${id}:${code}:${label}`))],
    ['batch-limit', limitText(batchLimit) + thenText(settings)],
    ['batch-limit-from', String(settings.batchLimitFrom)],
    ['over-limit', settings.overLimit],
    ['queue-threshold', queueThreshold === null ? 'none' : String(queueThreshold)],
    ['auto-invite', onOff(settings.autoInvite)],
  ];
};

/** As they are in force: a limit whose time has passed is not shown. */
export function settingLines(settings: CompanySettings, notify: string | null, now: number): string[] {
  const { batchLimitThen: then } = settings;
  const isPast = then !== null && Date.parse(then.from) <= now;
  const inForce = isPast ? { ...settings, batchLimit: then.limit, batchLimitThen: null } : settings;
  return [...settingTexts(inForce), ['notify', notify ?? 'off'] as const].map(
    ([name, value]) => `  ${name.padEnd(23)}${plain(value)}`,
  );
}

/** `before` is null for the first configuration. */
export interface SettingChange {
  readonly setting: string;
  readonly before: string | null;
  readonly after: string;
}

export function settingChanges(before: CompanySettings | undefined, after: CompanySettings): SettingChange[] {
  const old = new Map(before === undefined ? [] : settingTexts(before));
  return settingTexts(after)
    .filter(([setting, value]) => old.get(setting) !== value)
    .map(([setting, value]) => ({ setting, before: old.get(setting) ?? null, after: value }));
}
