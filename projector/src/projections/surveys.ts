import { eventData, type LoadedEvent } from '@rollcall/application/read';
import type { StoredQuestion, Survey, SurveyContent, SurveyQuestion } from '@rollcall/contracts';
import { toJson, type Handler, type Projection } from '../projection.js';

/** `surveys` [companyId, surveyId]: the answer of `GET /v1.0/Survey/{id}`, from which the list is made too. */
export const surveys: Projection = {
  SurveyCreated: whole('SurveyCreated'),
  SurveyUpdated: whole('SurveyUpdated'),
  SurveyStateChanged: whole('SurveyStateChanged'),
};

function whole(name: 'SurveyCreated' | 'SurveyUpdated' | 'SurveyStateChanged'): Handler {
  return async function* (event: LoadedEvent) {
    const survey = await eventData(event, name);
    yield [
      {
        op: 'put',
        collection: 'surveys',
        key: [survey.companyId, survey.surveyId],
        json: toJson(surveyDocument(survey)),
      },
    ];
  };
}

const surveyDocument = (content: SurveyContent): Survey => ({
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
): SurveyQuestion => ({
  order: at + 1,
  key,
  type,
  texts,
  configuration: answerOptions === undefined ? null : JSON.stringify({ AnswerOptions: answerOptions }),
});
