import type { StoredQuestion, SurveyContent, SurveyDocument } from '@rollcall/contracts';

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
