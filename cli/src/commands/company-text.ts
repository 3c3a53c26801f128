import type { CompanySettings } from '@rollcall/contracts';

const dayNames = ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

const listed = (parts: readonly (string | undefined)[]): string => parts.join(',') || 'none';
const onOff = (flag: boolean): string => (flag ? 'on' : 'off');

/** A line for each setting, in the words of the options that set it. */
export function settingLines(settings: CompanySettings): string[] {
  const { businessHours, languages, batchLimit, queueThreshold } = settings;
  const pairs: readonly (readonly [string, string])[] = [
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
    ['batch-limit', batchLimit === null ? 'none' : String(batchLimit)],
    ['queue-threshold', queueThreshold === null ? 'none' : String(queueThreshold)],
    ['auto-invite', onOff(settings.autoInvite)],
  ];
  return pairs.map(([name, value]) => `  ${name.padEnd(23)}${value}`);
}
