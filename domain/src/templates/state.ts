import type { InvitationTemplateSet } from '@rollcall/contracts';
import { initialState as initialSettings, type CompanySettingsState } from '../companies/state.js';

/** What the company's stream says about its mails. */
export interface TemplatesState {
  readonly settings: CompanySettingsState;
  /** The latest of each language. */
  readonly templates: ReadonlyMap<number, InvitationTemplateSet>;
}

export const initialState = (): TemplatesState => ({ settings: initialSettings(), templates: new Map() });
