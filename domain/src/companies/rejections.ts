import type { CompanySettings } from '@rollcall/contracts';

export interface SettingProblem {
  readonly setting: keyof CompanySettings | 'companyId';
  readonly problem: string;
}

/** All wrong settings at once. */
export interface CompanyRejection {
  readonly reason: 'settings-invalid';
  readonly problems: readonly SettingProblem[];
}
