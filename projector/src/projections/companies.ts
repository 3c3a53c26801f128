import { replaced, type Projection } from '../projection.js';

/** `companies` [companyId]: the settings in force, with the stream's revision that set them. */
export const companies: Projection = {
  collection: 'companies',
  changes: {
    CompanyConfigured: ({ data: { companyId, settings }, revision }) => [
      replaced([companyId], { companyId, settings, revision }),
    ],
  },
};
