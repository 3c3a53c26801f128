import type { SurveyContent } from '@rollcall/contracts';

export type SurveyState =
  { readonly status: 'absent' } | { readonly status: 'present'; readonly survey: SurveyContent };

export const initialState = (): SurveyState => ({ status: 'absent' });
