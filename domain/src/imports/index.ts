export {
  afterImport,
  type CompanyState,
  companyStateVersion,
  decodeCompanyState,
  encodeCompanyState,
  initialCompanyState,
} from './company-state.js';
