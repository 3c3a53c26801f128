export { companyFold } from './company-fold.js';
export { CompanyStates, type CompanyStatesOptions } from './company-states.js';
