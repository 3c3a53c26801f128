/** Limits and codes of surveys (interface.md, "Survey"; docs/contract, "Surveys"). Lengths count code points. */
export const maxNameLength = 50;
export const maxKeyLength = 20;
export const maxTextLength = 4_000;
export const maxQuestions = 500;
export const maxAnswerOptions = 100;
/** Of a survey as it is answered: no document of the read models is larger. */
export const maxSurveyBytes = 1024 * 1024;
/** More problems than this in one answer help nobody. */
export const maxProblems = 1_000;
/** Surveys that one call may move to another state. */
export const maxStateChanges = 1_000;

export const questionType = {
  coverPage: 1,
  answerOptions: 2,
  textAnswer: 3,
  bodyQuestion: 4,
  thankYouPage: 99,
} as const;

const questionTypes: ReadonlySet<unknown> = new Set(Object.values(questionType));
export const isQuestionType = (value: unknown): value is number => questionTypes.has(value);

/** The two pages that a survey has exactly once. */
export const isPage = (type: number): boolean =>
  type === questionType.coverPage || type === questionType.thankYouPage;

/** 1 Draft, 2 Active, 3 Inactive. */
export const isSurveyState = (value: unknown): value is number => value === 1 || value === 2 || value === 3;
export const surveyStateRule = 'must be 1 (Draft), 2 (Active) or 3 (Inactive)';

/** Ids in bodies and paths: 1 .. 2^53-1. */
export const isPositiveId = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0;
