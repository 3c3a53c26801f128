import { codes, limits } from '@rollcall/contracts';

/** Limits and codes of surveys (interface.md, "Survey"; docs/contract, "Surveys"). Lengths count code points. */
export const maxNameLength = limits.survey.name;
export const maxKeyLength = limits.survey.key;
export const maxTextLength = limits.survey.text;
export const maxQuestions = limits.survey.questions;
export const maxAnswerOptions = limits.survey.answerOptions;
/** Of a survey as it is answered: no document of the read models is larger. */
export const maxSurveyBytes = 1024 * 1024;
/** More problems than this in one answer help nobody. */
export const maxProblems = 1_000;
/** Surveys that one call may move to another state. */
export const maxStateChanges = limits.survey.stateChanges;

const questionTypes: ReadonlySet<unknown> = new Set(Object.values(codes.questionType));
export const isQuestionType = (value: unknown): value is number => questionTypes.has(value);

/** The two pages that a survey has exactly once. */
export const isPage = (type: number): boolean =>
  type === codes.questionType.CoverPage || type === codes.questionType.ThankYouPage;

const surveyStates: ReadonlySet<unknown> = new Set(Object.values(codes.surveyState));
export const isSurveyState = (value: unknown): value is number => surveyStates.has(value);
export const surveyStateRule = 'must be 1 (Draft), 2 (Active) or 3 (Inactive)';

/** Ids in bodies and paths: 1 .. 2^53-1. */
export const isPositiveId = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0;
