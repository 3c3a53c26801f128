import type { CompanySettings } from '@rollcall/contracts';

/** What the company's stream says about its settings; other parts of the company's state stand beside it. */
export type CompanySettingsState =
  | { readonly status: 'unconfigured' }
  | { readonly status: 'configured'; readonly companyId: number; readonly settings: CompanySettings };

export const initialState = (): CompanySettingsState => ({ status: 'unconfigured' });
