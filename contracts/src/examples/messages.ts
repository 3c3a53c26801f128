import type { CompanyHasWork } from '../messages/work.js';

export const companyHasWorkExample: CompanyHasWork = { type: 'company-has-work', companyId: 7, revision: 12 };
