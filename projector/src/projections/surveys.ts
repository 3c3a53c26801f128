import { surveys as domain } from '@rollcall/domain';
import type { DocumentChange } from '../document-changes.js';
import { replaced, type Projection, type ReadEvent } from '../projection.js';

type Whole = 'SurveyCreated' | 'SurveyUpdated' | 'SurveyStateChanged';

const whole = ({ data }: ReadEvent<Whole>): readonly DocumentChange[] => [
  replaced([data.companyId, data.surveyId], domain.surveyDocument(data)),
];

/** `surveys` [companyId, surveyId]: what `GET /v1.0/Survey/{id}` and the list are made of. */
export const surveys: Projection = {
  collection: 'surveys',
  changes: { SurveyCreated: whole, SurveyUpdated: whole, SurveyStateChanged: whole },
};
