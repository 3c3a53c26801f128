import type { CompanySettings } from '@rollcall/contracts';

/**
 * The settings of a company that was given none (docs/contract, "Company": Mon-Fri 08:00-17:00, threshold 1,000, auto-invite
 * on). Integration is off until somebody switches it on, so that no company can be imported into by accident.
 */
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
});
