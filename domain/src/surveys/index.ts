export {
  type ChangeSurveyState,
  type CreateSurvey,
  type SurveyCommand,
  type UpdateSurvey,
  decide,
  type SurveyDecision,
  invalidSurvey,
  type SurveyRejection,
  surveyDocument,
} from './decide.js';
export { evolve, type SurveyEvent, initialState, type SurveyState } from './evolve.js';
export { isPositiveId, isSurveyState, maxStateChanges, surveyStateRule } from './read-texts.js';
export {
  readStateChange,
  type StateChangeReading,
  readSurvey,
  type SurveyReading,
  type SurveySent,
} from './read-survey.js';
export { parseSelectionRule, type ParsedSelectionRule, type SelectionRule } from './selection-rule.js';
