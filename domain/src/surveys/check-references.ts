import type { StoredQuestion, SurveyContent } from '@rollcall/contracts';
import { wasOption } from './apply-options.js';
import { wasQuestion } from './apply-questions.js';
import type { Report } from '@rollcall/employee-lists/text';
import { isPage, maxAnswerOptions, maxQuestions } from './read-texts.js';
import type { OptionSent, QuestionSent } from './read-question.js';
import type { SurveySent } from './read-survey.js';

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
export function checkReferences(sent: SurveySent, survey: SurveyContent, report: Report): void {
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
export function checkSizes(
  after: readonly StoredQuestion[],
  sent: readonly QuestionSent[],
  report: Report,
): void {
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
