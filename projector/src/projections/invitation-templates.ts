import { eventData, invitationCollections } from '@rollcall/application/read';
import { companyOf, toJson, type Projection } from '../projection.js';

/** `invitation-templates` [companyId, language]: the mail that was set last. */
export const invitationTemplates: Projection = {
  InvitationTemplateSet: async function* (event) {
    const template = await eventData(event, 'InvitationTemplateSet');
    const key = [companyOf(event), template.language] as const;
    yield [{ op: 'put', collection: invitationCollections.templates, key, json: toJson(template) }];
  },
};
