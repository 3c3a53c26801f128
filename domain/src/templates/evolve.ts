import type { DomainEventOf } from '@rollcall/contracts';
import { evolve as evolveSettings } from '../companies/evolve.js';
import type { TemplatesState } from './state.js';

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
