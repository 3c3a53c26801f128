import type { SurveyReading } from './read-survey.js';

export interface CreateSurvey {
  readonly name: 'CreateSurvey';
  readonly companyId: number;
  /** Two numbers that no survey has yet. */
  readonly surveyId: number;
  readonly surveyDefinitionId: number;
  readonly reading: SurveyReading;
}

export interface UpdateSurvey {
  readonly name: 'UpdateSurvey';
  /** The caller's: a survey of another company is an unknown one. */
  readonly companyId: number;
  readonly reading: SurveyReading;
  /**
   * With an Idempotency-Key: an update that changes nothing leaves its event all the same, so that a repeat behind another
   * update finds that it was done, and does not undo the other one.
   */
  readonly leavesEvent?: boolean;
}

export interface ChangeSurveyState {
  readonly name: 'ChangeSurveyState';
  readonly companyId: number;
  readonly state: number;
}

export type SurveyCommand = CreateSurvey | UpdateSurvey | ChangeSurveyState;
