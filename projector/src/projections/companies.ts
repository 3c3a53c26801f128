import { eventData } from '@rollcall/application/read';
import { toJson, type Projection } from '../projection.js';

/** `companies` [companyId]: the settings in force, with the stream's revision that set them. */
export const companies: Projection = {
  CompanyConfigured: async function* (event) {
    const { companyId, settings } = await eventData(event, 'CompanyConfigured');
    const document = { companyId, settings, revision: event.revision };
    yield [{ op: 'put', collection: 'companies', key: [companyId], json: toJson(document) }];
  },
};
