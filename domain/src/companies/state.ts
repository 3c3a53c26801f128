import type { CompanySettings } from '@rollcall/contracts';

export type CompanySettingsState =
  | { readonly status: 'unconfigured' }
  | { readonly status: 'configured'; readonly companyId: number; readonly settings: CompanySettings };

export const initialState = (): CompanySettingsState => ({ status: 'unconfigured' });
