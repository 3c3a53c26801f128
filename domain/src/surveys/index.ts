export {
  type ChangeSurveyState,
  type SurveyCommand,
  type UpdateSurvey,
  decide,
  invalidSurvey,
  type SurveyRejection,
  surveyAnswer,
  surveyDocument,
} from './decide.js';
export { evolve, type SurveyEvent, initialState, type SurveyState } from './evolve.js';
export { isPositiveId } from './read-texts.js';
export { readStateChange, readSurvey, type SurveyReading } from './read-survey.js';
