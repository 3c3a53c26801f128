import type { SurveyContent } from '@rollcall/contracts';
import { applyQuestions } from './apply-questions.js';
import { checkReferences, checkSizes } from './check-references.js';
import type { ChangeSurveyState, CreateSurvey, SurveyCommand, UpdateSurvey } from './commands.js';
import type { SurveyEvent } from './evolve.js';
import { maxSurveyBytes } from './limits.js';
import { textsFingerprint } from './read-texts.js';
import type { SurveySent } from './read-survey.js';
import { invalidSurvey, type SurveyRejection } from './rejections.js';
import type { SurveyState } from './state.js';
import { surveyDocument } from './survey-document.js';

export type SurveyDecision =
  | { readonly kind: 'events'; readonly events: readonly SurveyEvent[] }
  | { readonly kind: 'refused'; readonly rejection: SurveyRejection }
  | { readonly kind: 'nothing' };

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
  const bytes = Buffer.byteLength(JSON.stringify(surveyDocument(event.data)));
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
  if (problems.length > 0) return invalid(problems);
  const questions = applyQuestions(survey, sent.questions);
  checkSizes(questions.questions, sent.questions, (problem) => problems.push(problem));
  if (problems.length > 0) return invalid(problems);
  const data: SurveyContent = { ...survey, ...sentValues(sent), ...questions };
  if (!leavesEvent && fingerprint(data) === fingerprint(survey)) return { kind: 'nothing' };
  return withinSize({ name: 'SurveyUpdated', data });
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
