import type { CompanySettings } from '@rollcall/contracts';

/** Sets what it names and leaves the rest as it is; a company that is new gets the defaults for the rest. */
export interface ConfigureCompany {
  readonly companyId: number;
  readonly changes: Partial<CompanySettings>;
}
