import type { CompanySettings } from '@rollcall/contracts';

export interface ConfigureCompany {
  readonly companyId: number;
  readonly changes: Partial<CompanySettings>;
  /** The changed batch limit holds until then (ISO 8601 UTC), and the one before holds again. */
  readonly batchLimitUntil?: string | undefined;
}
