import type { CatalogueExtended, InstallationCreated } from '../events/installation-events.js';

export const installationCreatedExample: InstallationCreated = {
  installationId: '0f8b1e6c-3d52-4a8e-9c41-7b6d2a90e5f3',
  keyCheck: '5d0c1d5f3a2b84f6e9a7c0b1d2e3f405162738495a6b7c8d9e0f1a2b3c4d5e6f',
};

export const catalogueExtendedExample: CatalogueExtended = {
  types: ['CompanyConfigured', 'EmployeeSetReplaced'],
};
