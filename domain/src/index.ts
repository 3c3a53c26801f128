export * as apiUsers from './api-users/index.js';
export * as companies from './companies/index.js';
export type { CompanySettingsState } from './companies/state.js';
export * from './invitations/invitation-due.js';
export * from './text/code-points.js';
export * from './text/dates.js';
export * from './text/emails.js';
export * from './text/phones.js';
