import type { CompanySettings } from '@rollcall/contracts';

/** A setting and the rule that its value breaks. */
export interface SettingProblem {
  readonly setting: keyof CompanySettings | 'companyId';
  readonly problem: string;
}

/** All settings that are wrong, at once. Nothing is configured. */
export interface CompanyRejection {
  readonly reason: 'settings-invalid';
  readonly problems: readonly SettingProblem[];
}
