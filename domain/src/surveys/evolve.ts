import type { DomainEventOf, SurveyContent } from '@rollcall/contracts';

export type SurveyState =
  { readonly status: 'absent' } | { readonly status: 'present'; readonly survey: SurveyContent };

export const initialState = (): SurveyState => ({ status: 'absent' });

export type SurveyEvent = DomainEventOf<'SurveyCreated' | 'SurveyUpdated' | 'SurveyStateChanged'>;

/** Every event carries the whole survey. */
export function evolve(_state: SurveyState, event: SurveyEvent): SurveyState {
  switch (event.name) {
    case 'SurveyCreated':
    case 'SurveyUpdated':
    case 'SurveyStateChanged':
      return { status: 'present', survey: event.data };
    default:
      return event satisfies never;
  }
}
