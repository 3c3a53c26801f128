import type { CompanySettings, DomainEventOf } from '@rollcall/contracts';
import { type CompanyRejection, type SettingProblem, settingsProblems } from './settings-rules.js';
import type { CompanySettingsState } from './evolve.js';
import type { Decision } from '../decision.js';

export interface ConfigureCompany {
  readonly companyId: number;
  readonly changes: Partial<CompanySettings>;
  /** The changed batch limit holds until then (ISO 8601 UTC), and the one before holds again. */
  readonly batchLimitUntil?: string | undefined;
}

type CompanyDecision = Decision<readonly DomainEventOf<'CompanyConfigured'>[], CompanyRejection>;

function settingsBefore(command: ConfigureCompany, state: CompanySettingsState): CompanySettings {
  switch (state.status) {
    case 'unconfigured':
      return defaultSettings(command.companyId);
    case 'configured':
      return state.settings;
    default:
      return state satisfies never;
  }
}

/** A limit for good ends one that was set for a time. */
function limitAfterwards(
  { changes, batchLimitUntil }: ConfigureCompany,
  before: CompanySettings,
): Pick<CompanySettings, 'batchLimitThen'> | undefined {
  if (changes.batchLimit === undefined) return undefined;
  const limit = before.batchLimitThen === null ? before.batchLimit : before.batchLimitThen.limit;
  return { batchLimitThen: batchLimitUntil === undefined ? null : { from: batchLimitUntil, limit } };
}

const companyIdProblems = (companyId: number): readonly SettingProblem[] =>
  Number.isSafeInteger(companyId) && companyId >= 1
    ? []
    : [{ setting: 'companyId', problem: 'must be an integer from 1 to 9007199254740991' }];

/** Changes the named settings; a new company gets defaults for the rest. No event where nothing changes. */
export function decide(command: ConfigureCompany, state: CompanySettingsState): CompanyDecision {
  const before = settingsBefore(command, state);
  const settings: CompanySettings = { ...before, ...command.changes, ...limitAfterwards(command, before) };
  const problems = [...companyIdProblems(command.companyId), ...settingsProblems(settings)];
  if (problems.length > 0) return { kind: 'refused', rejection: { reason: 'settings-invalid', problems } };
  const isSame = JSON.stringify(before) === JSON.stringify(settings);
  if (state.status === 'configured' && isSame) return { kind: 'nothing' };
  return {
    kind: 'events',
    events: [{ name: 'CompanyConfigured', data: { companyId: command.companyId, settings } }],
  };
}

/** docs/contract, "Company". Integration is off by default, so that nobody imports into a company by accident. */
export const defaultSettings = (companyId: number): CompanySettings => ({
  name: `Company ${companyId}`,
  timeZone: 'UTC',
  businessDays: [1, 2, 3, 4, 5],
  businessHours: { from: '08:00', to: '17:00' },
  holidays: [],
  integrationEnabled: false,
  hierarchyEnabled: false,
  departmentDimensions: ['Department'],
  divisionDimensions: [],
  projectDimensions: [],
  languages: [],
  batchLimit: null,
  queueThreshold: 1000,
  autoInvite: true,
  batchLimitFrom: 100,
  overLimit: 'refuse',
  batchLimitThen: null,
});
