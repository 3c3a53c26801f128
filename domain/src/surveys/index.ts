export type { ChangeSurveyState, CreateSurvey, SurveyCommand, UpdateSurvey } from './commands.js';
export { decide, type SurveyDecision } from './decide.js';
export { evolve, type SurveyEvent } from './evolve.js';
export { isPositiveId, isSurveyState, maxStateChanges, questionType, surveyStateRule } from './limits.js';
export { readStateChange, type StateChangeReading } from './read-state-change.js';
export { readSurvey, type SurveyReading, type SurveySent } from './read-survey.js';
export { invalidSurvey, type SurveyRejection } from './rejections.js';
export { parseSelectionRule, type ParsedSelectionRule, type SelectionRule } from './selection-rule.js';
export { initialState, type SurveyState } from './state.js';
