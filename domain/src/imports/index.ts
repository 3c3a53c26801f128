export {
  afterImport,
  type CompanyState,
  companyStateBytes,
  companyStateVersion,
  decodeCompanyState,
  encodeCompanyState,
  initialCompanyState,
} from './company-state.js';
