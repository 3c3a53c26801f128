import { invitationCollections } from '@rollcall/application/read';
import { surveys as domain } from '@rollcall/domain';
import { companyOf, replaced, type Projection, type ReadEvent } from '../projection.js';
import { type DocumentChange } from '../document-changes.js';

/** `companies` [companyId]: the settings in force and the revision that set them. */
export const companies: Projection = {
  collection: 'companies',
  changes: {
    CompanyConfigured: ({ data: { companyId, settings }, revision }) => [
      replaced([companyId], { companyId, settings, revision }),
    ],
  },
};

/** `invitation-templates` [companyId, language]: the latest mail. */
export const invitationTemplates: Projection = {
  collection: invitationCollections.templates,
  changes: {
    InvitationTemplateSet: (event) => [replaced([companyOf(event), event.data.language], event.data)],
  },
};

type Whole = 'SurveyCreated' | 'SurveyUpdated' | 'SurveyStateChanged';

const whole = ({ data }: ReadEvent<Whole>): readonly DocumentChange[] => [
  replaced([data.companyId, data.surveyId], domain.surveyDocument(data)),
];

/** `surveys` [companyId, surveyId]: for `GET /v1.0/Survey/{id}` and the list. */
export const surveys: Projection = {
  collection: 'surveys',
  changes: { SurveyCreated: whole, SurveyUpdated: whole, SurveyStateChanged: whole },
};
