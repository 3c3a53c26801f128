import type { DomainEventOf, InvitationTemplateSet } from '@rollcall/contracts';
import {
  evolve as evolveSettings,
  initialState as initialSettings,
  type CompanySettingsState,
} from '../companies/evolve.js';

export interface TemplatesState {
  readonly settings: CompanySettingsState;
  /** The latest of each language. */
  readonly templates: ReadonlyMap<number, InvitationTemplateSet>;
}

export const initialState = (): TemplatesState => ({ settings: initialSettings(), templates: new Map() });

export type TemplateEvent = DomainEventOf<'CompanyConfigured' | 'InvitationTemplateSet'>;

export function evolve(state: TemplatesState, event: TemplateEvent): TemplatesState {
  switch (event.name) {
    case 'CompanyConfigured':
      return { ...state, settings: evolveSettings(state.settings, event) };
    case 'InvitationTemplateSet':
      return { ...state, templates: new Map([...state.templates, [event.data.language, event.data]]) };
    default:
      return event satisfies never;
  }
}
