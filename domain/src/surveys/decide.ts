import type { Survey, SurveyContent, StoredQuestion, SurveyDocument } from '@rollcall/contracts';
import type { Report } from '@rollcall/employee-lists/text';
import { wasOption } from './apply-options.js';
import { applyQuestions, wasQuestion } from './apply-questions.js';
import type { SurveyEvent, SurveyState } from './evolve.js';
import {
  isPage,
  maxAnswerOptions,
  maxProblems,
  maxQuestions,
  maxSurveyBytes,
  textsFingerprint,
} from './read-texts.js';
import type { OptionSent, QuestionSent } from './read-question.js';
import type { SurveySent, SurveyReading } from './read-survey.js';
import type { Decision } from '../decision.js';

interface CreateSurvey {
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

export type SurveyDecision = Decision<readonly SurveyEvent[], SurveyRejection>;

const unknownSurvey: SurveyDecision = { kind: 'refused', rejection: { kind: 'unknown-survey' } };

const invalid = (problems: readonly string[]): SurveyDecision => ({
  kind: 'refused',
  rejection: invalidSurvey(problems),
});

const sentValues = ({ name, start, end, state, surveySelectionRule }: SurveySent) => ({
  name,
  start,
  end,
  state,
  surveySelectionRule,
});

function create(
  { companyId, surveyId, surveyDefinitionId, reading }: CreateSurvey,
  state: SurveyState,
): SurveyDecision {
  if (state.status !== 'absent') throw new Error(`survey number ${surveyId} was given twice`);
  if (reading.problems.length > 0) return invalid(reading.problems);
  const { sent } = reading;
  const data: SurveyContent = {
    surveyId,
    surveyDefinitionId,
    companyId,
    ...sentValues(sent),
    ...applyQuestions({ questions: [], lastKey: 0 }, sent.questions),
  };
  return withinSize({ name: 'SurveyCreated', data });
}

/** Bounds the read model's documents. */
function withinSize(event: SurveyEvent): SurveyDecision {
  const bytes = Buffer.byteLength(JSON.stringify(surveyAnswer(surveyDocument(event.data))));
  return bytes <= maxSurveyBytes
    ? { kind: 'events', events: [event] }
    : invalid([
        `The survey must be at most ${maxSurveyBytes} bytes, as it is answered; it would be ${bytes}`,
      ]);
}

/** Ignores the order of languages. */
const fingerprint = ({ questions, ...values }: SurveyContent): string =>
  JSON.stringify([
    values,
    questions.map(({ texts, answerOptions, ...question }) => [
      question,
      textsFingerprint(texts),
      answerOptions?.map(({ Texts, ...option }) => [option, textsFingerprint(Texts)]),
    ]),
  ]);

/** No event without a change, unless `leavesEvent`. Without a survey the body's problems come first. */
function update({ companyId, reading, leavesEvent }: UpdateSurvey, state: SurveyState): SurveyDecision {
  const { sent } = reading;
  if (state.status === 'absent' || state.survey.companyId !== companyId) {
    return reading.problems.length > 0 ? invalid(reading.problems) : unknownSurvey;
  }
  const { survey } = state;
  const problems = [...reading.problems];
  checkReferences(sent, survey, (problem) => problems.push(problem));
  // A problem begins with its place. Questions with problems are not applied.
  if (problems.some((problem) => problem.startsWith('Questions'))) return invalid(problems);
  const questions = applyQuestions(survey, sent.questions);
  checkSizes(questions.questions, sent.questions, (problem) => problems.push(problem));
  if (problems.length > 0) return invalid(problems);
  const data: SurveyContent = { ...survey, ...sentValues(sent), ...questions };
  if (!leavesEvent && fingerprint(data) === fingerprint(survey)) return { kind: 'nothing' };
  return withinSize({ name: 'SurveyUpdated', data });
}

const shownKeys = 20;

function inForce(keys: readonly string[]): string {
  const more = keys.length - shownKeys;
  return more > 0 ? `${keys.slice(0, shownKeys).join(', ')} and ${more} more` : keys.join(', ');
}

/** A removed option may be deleted again: a repeated update does so. */
function checkOption(option: OptionSent, question: StoredQuestion, report: Report): void {
  const { path, key, deleted } = option;
  if (key === null || (deleted && wasOption(question, key))) return;
  const keys = (question.answerOptions ?? []).map((stored) => stored.LabelKey);
  if (!keys.includes(key))
    report(`${path}.LabelKey is unknown; the options of ${question.key} are ${inForce(keys)}`);
}

function checkKnown(sent: QuestionSent, question: StoredQuestion, report: Report): void {
  if (sent.type !== null && sent.type !== question.type) {
    report(
      `${sent.path}.Type must be ${question.type}, as ${question.key} has it: the Type of a question cannot change`,
    );
  } else for (const option of sent.options) checkOption(option, question, report);
  if (sent.deleted && isPage(question.type)) {
    report(`${sent.path}.Deleted must not be true: ${question.key} is a page that every survey has`);
  }
}

/** Unknown Keys, changed Types, a changed SurveyDefinitionId. */
function checkReferences(sent: SurveySent, survey: SurveyContent, report: Report): void {
  const { surveyDefinitionId: definition } = survey;
  if (sent.surveyDefinitionId !== null && sent.surveyDefinitionId !== definition) {
    report(`SurveyDefinitionId must be ${definition}: it cannot change`);
  }
  const stored = new Map(survey.questions.map((question) => [question.key, question]));
  for (const question of sent.questions) {
    if (question.key === null) continue;
    const known = stored.get(question.key);
    if (known) checkKnown(question, known, report);
    else if (!question.deleted || !wasQuestion(survey.lastKey, question.key)) {
      report(
        `${question.path}.Key is unknown; the questions of this survey are ${inForce([...stored.keys()])}`,
      );
    }
  }
}

/** Limits of the resulting survey, unmentioned questions and options included. */
function checkSizes(after: readonly StoredQuestion[], sent: readonly QuestionSent[], report: Report): void {
  if (after.length > maxQuestions) {
    report(
      `Questions must leave at most ${maxQuestions} in the survey; with those that stay it would have ${after.length}`,
    );
  }
  const paths = new Map(sent.map(({ key, path }) => [key, path]));
  for (const { key, answerOptions } of after) {
    const path = `${paths.get(key) ?? key}.AnswerOptions`;
    const count = answerOptions?.length ?? 1;
    if (count === 0) report(`${path} must leave at least one option`);
    if (count > maxAnswerOptions) {
      report(
        `${path} must leave at most ${maxAnswerOptions} options; with those that stay there would be ${count}`,
      );
    }
  }
}

function changeState({ companyId, state: to }: ChangeSurveyState, state: SurveyState): SurveyDecision {
  if (state.status === 'absent' || state.survey.companyId !== companyId) return unknownSurvey;
  if (state.survey.state === to) return { kind: 'nothing' };
  return { kind: 'events', events: [{ name: 'SurveyStateChanged', data: { ...state.survey, state: to } }] };
}

/** Throws where a new survey has an existing number: a bug. */
export function decide(command: SurveyCommand, state: SurveyState): SurveyDecision {
  switch (command.name) {
    case 'CreateSurvey':
      return create(command, state);
    case 'UpdateSurvey':
      return update(command, state);
    case 'ChangeSurveyState':
      return changeState(command, state);
    default:
      return command satisfies never;
  }
}

export type SurveyRejection =
  /** Path and rule. */
  { readonly kind: 'invalid'; readonly problems: readonly string[] } | { readonly kind: 'unknown-survey' };

export function invalidSurvey(problems: readonly string[]): SurveyRejection {
  const more = problems.length - maxProblems;
  const shown = more > 0 ? [...problems.slice(0, maxProblems), `... and ${more} more`] : problems;
  return { kind: 'invalid', problems: shown };
}

export const surveyDocument = (content: SurveyContent): SurveyDocument => ({
  id: content.surveyId,
  name: content.name,
  companyId: content.companyId,
  start: content.start,
  end: content.end,
  state: content.state,
  surveyDefinitionId: content.surveyDefinitionId,
  surveySelectionRule: content.surveySelectionRule,
  questions: content.questions.map(questionDocument),
});

/** Adds the names of existing clients (docs/contract, "Names of existing clients"). */
export const surveyAnswer = (document: SurveyDocument): Survey => ({
  ...document,
  startDate: document.start,
  endDate: document.end,
  questions: document.questions.map((question) => ({ ...question, stepType: question.type })),
});

/** `configuration` is a JSON string, as published (docs/contract, "Reading"). */
const questionDocument = (
  { key, type, texts, answerOptions }: StoredQuestion,
  at: number,
): SurveyDocument['questions'][number] => ({
  order: at + 1,
  key,
  type,
  texts,
  configuration: answerOptions === undefined ? null : JSON.stringify({ AnswerOptions: answerOptions }),
});
