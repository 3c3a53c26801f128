import {
  isBlank,
  isLongerThan,
  isStorable,
  isAbsent,
  isObject,
  type Report,
  shownName,
} from '@rollcall/employee-lists/text';
import { codes, limits } from '@rollcall/contracts';

/** interface.md, "Survey"; docs/contract, "Surveys". Lengths count code points. */
export const maxNameLength = limits.survey.name;
export const maxKeyLength = limits.survey.key;
const maxTextLength = limits.survey.text;
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

/** By language id. */
export type Texts = Readonly<Record<string, string>>;

const isLanguageId = (key: string): boolean => /^[1-9]\d*$/.test(key) && isPositiveId(Number(key));

/** Reports every broken rule. */
export function checkText(text: string, named: string, maxLength: number, report: Report): void {
  if (isBlank(text)) report(`${named} must not be blank`);
  if (isLongerThan(text, maxLength)) report(`${named} must have at most ${maxLength} characters`);
  if (!isStorable(text)) report(`${named} must not contain NUL or half a surrogate pair`);
}

function readText(path: string, [key, text]: readonly [string, unknown], report: Report): [string, string][] {
  const named = `${path}.${shownName(key)}`;
  if (!isLanguageId(key)) report(`${named} must be named by a language id, a positive integer`);
  if (typeof text !== 'string') report(`${named} must be a string`);
  else if (text === '') report(`${named} must not be empty`);
  else checkText(text, named, maxTextLength, report);
  return typeof text === 'string' ? [[key, text]] : [];
}

/** Reports every problem; leaves out what is no text. */
export function readTexts(value: unknown, path: string, report: Report): Texts {
  if (isAbsent(value)) report(`${path} is required`);
  else if (!isObject(value)) report(`${path} must be an object that maps language ids to texts`);
  else {
    const entries = Object.entries(value);
    if (entries.length === 0) report(`${path} must contain at least one language`);
    return Object.fromEntries(entries.flatMap((entry) => readText(path, entry, report)));
  }
  return {};
}

/** Independent of the members' order. */
export const textsFingerprint = (texts: Texts): string =>
  JSON.stringify(Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1)));
