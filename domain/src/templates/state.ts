import type { InvitationTemplateSet } from '@rollcall/contracts';
import { initialState as initialSettings, type CompanySettingsState } from '../companies/state.js';

export interface TemplatesState {
  readonly settings: CompanySettingsState;
  /** The latest of each language. */
  readonly templates: ReadonlyMap<number, InvitationTemplateSet>;
}

export const initialState = (): TemplatesState => ({ settings: initialSettings(), templates: new Map() });
