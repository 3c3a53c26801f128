import { invitationCollections } from '@rollcall/application/read';
import { companyOf, replaced, type Projection } from '../projection.js';

/** `invitation-templates` [companyId, language]: the mail that was set last. */
export const invitationTemplates: Projection = {
  collection: invitationCollections.templates,
  changes: {
    InvitationTemplateSet: (event) => [replaced([companyOf(event), event.data.language], event.data)],
  },
};
