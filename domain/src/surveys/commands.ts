import type { SurveyReading } from './read-survey.js';

export interface CreateSurvey {
  readonly name: 'CreateSurvey';
  readonly companyId: number;
  /** Two unused numbers. */
  readonly surveyId: number;
  readonly surveyDefinitionId: number;
  readonly reading: SurveyReading;
}

export interface UpdateSurvey {
  readonly name: 'UpdateSurvey';
  /** The caller's; surveys of other companies are unknown. */
  readonly companyId: number;
  readonly reading: SurveyReading;
  /** With an Idempotency-Key an unchanged update leaves an event, so that a later repeat does not undo another. */
  readonly leavesEvent?: boolean;
}

export interface ChangeSurveyState {
  readonly name: 'ChangeSurveyState';
  readonly companyId: number;
  readonly state: number;
}

export type SurveyCommand = CreateSurvey | UpdateSurvey | ChangeSurveyState;
