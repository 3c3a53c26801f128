import type { DomainEventOf, CompanySettings } from '@rollcall/contracts';

export type CompanySettingsState =
  | { readonly status: 'unconfigured' }
  | { readonly status: 'configured'; readonly companyId: number; readonly settings: CompanySettings };

export const initialState = (): CompanySettingsState => ({ status: 'unconfigured' });

/** The last `CompanyConfigured` counts. */
export const evolve = (
  _state: CompanySettingsState,
  event: DomainEventOf<'CompanyConfigured'>,
): CompanySettingsState => ({
  status: 'configured',
  companyId: event.data.companyId,
  settings: event.data.settings,
});
