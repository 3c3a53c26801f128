import type { CompanySettings } from '@rollcall/contracts';

export interface ConfigureCompany {
  readonly companyId: number;
  readonly changes: Partial<CompanySettings>;
}
