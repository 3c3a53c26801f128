import type { CompanySettings } from '@rollcall/contracts';

/** docs/contract, "Company". Integration is off by default, so that nobody imports into a company by accident. */
export const defaultSettings = (companyId: number): CompanySettings => ({
  name: `Company ${companyId}`,
  timeZone: 'UTC',
  businessDays: [1, 2, 3, 4, 5],
  businessHours: { from: '08:00', to: '17:00' },
  holidays: [],
  integrationEnabled: false,
  hierarchyEnabled: false,
  departmentDimensions: ['Department'],
  divisionDimensions: [],
  projectDimensions: [],
  languages: [],
  batchLimit: null,
  queueThreshold: 1000,
  autoInvite: true,
  batchLimitFrom: 100,
  overLimit: 'refuse',
  batchLimitThen: null,
});
