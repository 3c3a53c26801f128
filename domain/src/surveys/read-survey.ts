import { codes } from '@rollcall/contracts';
import {
  isUtcDate,
  isUtcDateAfter,
  utcDateRule,
  isAbsent,
  isArray,
  isObject,
  type JsonObject,
  type Report,
} from '@rollcall/employee-lists/text';
import {
  checkText,
  isPositiveId,
  isSurveyState,
  maxNameLength,
  maxQuestions,
  surveyStateRule,
  maxStateChanges,
} from './read-texts.js';
import { type QuestionSent, readQuestion, type SurveyCall, eitherMember } from './read-question.js';
import { checkSelectionRule } from './selection-rule.js';

export interface SurveySent {
  /** null on create. */
  readonly id: number | null;
  readonly surveyDefinitionId: number | null;
  readonly companyId: number | null;
  readonly name: string;
  readonly start: string;
  readonly end: string;
  readonly state: number;
  readonly surveySelectionRule: string | null;
  readonly questions: readonly QuestionSent[];
}

/** Judged without the survey. Unreadable members are null, 0 or empty in `sent`, with a problem. */
export interface SurveyReading {
  readonly sent: SurveySent;
  readonly problems: readonly string[];
}

function readName(value: unknown, report: Report): string {
  if (isAbsent(value)) report('Name is required');
  else if (typeof value !== 'string') report('Name must be a string');
  else {
    checkText(value, 'Name', maxNameLength, report);
    return value;
  }
  return '';
}

function readDate(body: JsonObject, names: readonly [string, string], report: Report): string {
  const { member, value } = eitherMember(body, names, { prefix: '', report });
  if (isAbsent(value)) report(`${member} is required`);
  else if (typeof value !== 'string' || !isUtcDate(value)) report(`${member} ${utcDateRule(value)}`);
  else return value;
  return '';
}

function readId(value: unknown, member: string, report: Report): number | null {
  if (isPositiveId(value)) return value;
  report(isAbsent(value) ? `${member} is required` : `${member} must be a positive integer`);
  return null;
}

/** Required on update; absent, null or 0 on create. */
function readOwnId(
  value: unknown,
  member: 'Id' | 'SurveyDefinitionId',
  call: SurveyCall,
  report: Report,
): number | null {
  if (call === 'update') return readId(value, member, report);
  if (!isAbsent(value) && value !== 0) {
    report(
      `${member} must be absent, null or 0 in a new survey; an existing one is changed by /survey/Update`,
    );
  }
  return null;
}

function readState(value: unknown, report: Report): number {
  if (isSurveyState(value)) return value;
  report(isAbsent(value) ? 'State is required' : `State ${surveyStateRule}`);
  return 0;
}

function readRule(value: unknown, report: Report): string | null {
  if (isAbsent(value)) return null;
  if (typeof value !== 'string') {
    report('SurveySelectionRule must be a string that holds a JSON object');
    return null;
  }
  checkSelectionRule(value, report);
  return value;
}

function checkPages(questions: readonly QuestionSent[], report: Report): void {
  const count = (type: number): number => questions.filter((question) => question.type === type).length;
  for (const [type, page] of [
    [codes.questionType.CoverPage, 'cover page'],
    [codes.questionType.ThankYouPage, 'thank-you page'],
  ] as const) {
    if (count(type) !== 1) report(`Questions must contain exactly one ${page} (Type ${type})`);
  }
}

/** Keys, and LabelKeys within a question, must be unique. */
function checkRepeated(
  sent: readonly { path: string; key: string | null }[],
  member: string,
  report: Report,
): void {
  const seen = new Map<string, string>();
  for (const { path, key } of sent) {
    if (key === null) continue;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, path);
    else report(`${path}.${member} must differ from ${first}.${member}`);
  }
}

function readQuestions(value: unknown, call: SurveyCall, report: Report): readonly QuestionSent[] {
  if (isAbsent(value)) report('Questions is required');
  else if (!isArray(value)) report('Questions must be an array');
  else {
    if (value.length > maxQuestions) report(`Questions must have at most ${maxQuestions} elements`);
    const questions = value.map((question, at) =>
      readQuestion(question, { path: `Questions[${at}]`, call, report }),
    );
    checkPages(questions, report);
    checkRepeated(questions, 'Key', report);
    for (const { options } of questions) checkRepeated(options, 'LabelKey', report);
    return questions;
  }
  return [];
}

function readMembers(body: JsonObject, call: SurveyCall, report: Report): SurveySent {
  const id = readOwnId(body['Id'], 'Id', call, report);
  const surveyDefinitionId = readOwnId(body['SurveyDefinitionId'], 'SurveyDefinitionId', call, report);
  const companyId = readId(body['CompanyId'], 'CompanyId', report);
  const name = readName(body['Name'], report);
  const start = readDate(body, ['Start', 'StartDate'], report);
  const end = readDate(body, ['End', 'EndDate'], report);
  if (end !== '' && !isUtcDateAfter(end, start)) report('End must be after Start');
  const state = readState(body['State'], report);
  const surveySelectionRule = readRule(body['SurveySelectionRule'], report);
  const questions = readQuestions(body['Questions'], call, report);
  return { id, surveyDefinitionId, companyId, name, start, end, state, surveySelectionRule, questions };
}

/** Finds every problem of a create or update (interface.md, "Survey"; docs/contract, "Surveys"). Ignores unknown members. */
export function readSurvey(body: unknown, call: SurveyCall): SurveyReading {
  const problems: string[] = [];
  const sent = readMembers(isObject(body) ? body : {}, call, (problem) => problems.push(problem));
  return { sent, problems: isObject(body) ? problems : ['The body must be a survey: a JSON object'] };
}

interface StateChangeReading {
  readonly state: number;
  /** Each once, in the order sent. */
  readonly surveyIds: readonly number[];
  readonly problems: readonly string[];
}

/** Reads `ChangeState/{state}` and its array of survey ids, and finds every problem. */
export function readStateChange(state: string, body: unknown): StateChangeReading {
  const problems: string[] = [];
  const to = /^\d$/.test(state) ? Number(state) : 0;
  if (!isSurveyState(to)) problems.push(`The state in the path ${surveyStateRule}`);
  if (!isArray(body))
    return { state: to, surveyIds: [], problems: [...problems, 'The body must be an array of survey ids'] };
  if (body.length > maxStateChanges)
    problems.push(`The body must have at most ${maxStateChanges} survey ids`);
  body.slice(0, maxStateChanges).forEach((id, at) => {
    if (!isPositiveId(id)) problems.push(`[${at}] must be a survey id, a positive integer`);
  });
  return { state: to, surveyIds: [...new Set(body.filter(isPositiveId))], problems };
}
