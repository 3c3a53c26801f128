import type { DomainEventOf } from '@rollcall/contracts';
import type { CompanySettingsState } from './state.js';

/** The last `CompanyConfigured` counts. */
export const evolve = (
  _state: CompanySettingsState,
  event: DomainEventOf<'CompanyConfigured'>,
): CompanySettingsState => ({
  status: 'configured',
  companyId: event.data.companyId,
  settings: event.data.settings,
});
