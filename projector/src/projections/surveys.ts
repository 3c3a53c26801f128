import { eventData, type LoadedEvent } from '@rollcall/application/read';
import { surveys as domain } from '@rollcall/domain';
import { toJson, type Handler, type Projection } from '../projection.js';

/** `surveys` [companyId, surveyId]: what `GET /v1.0/Survey/{id}` and the list are made of. */
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
        json: toJson(domain.surveyDocument(survey)),
      },
    ];
  };
}
