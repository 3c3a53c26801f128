import { codes, limits } from '@rollcall/contracts';

/** interface.md, "Survey"; docs/contract, "Surveys". Lengths count code points. */
export const maxNameLength = limits.survey.name;
export const maxKeyLength = limits.survey.key;
export const maxTextLength = limits.survey.text;
export const maxQuestions = limits.survey.questions;
export const maxAnswerOptions = limits.survey.answerOptions;
/** Of a survey in an answer, and so of a read-model document. */
export const maxSurveyBytes = 1024 * 1024;
export const maxProblems = 1_000;
export const maxStateChanges = limits.survey.stateChanges;

const questionTypes: ReadonlySet<unknown> = new Set(Object.values(codes.questionType));
export const isQuestionType = (value: unknown): value is number => questionTypes.has(value);

export const isPage = (type: number): boolean =>
  type === codes.questionType.CoverPage || type === codes.questionType.ThankYouPage;

const surveyStates: ReadonlySet<unknown> = new Set(Object.values(codes.surveyState));
export const isSurveyState = (value: unknown): value is number => surveyStates.has(value);
export const surveyStateRule = 'must be 1 (Draft), 2 (Active) or 3 (Inactive)';

export const isPositiveId = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0;
