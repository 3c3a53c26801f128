export {
  afterApproved,
  afterConfigured,
  afterEmployeeSet,
  afterGivenUp,
  afterHeld,
  approvedOutcome,
  afterHold,
  afterManagerRoles,
  afterQueued,
  type CompanyState,
  type ImportCounts,
  initialCompanyState,
  isHeld,
  managerCounts,
  pendingOf,
} from './company-state.js';
export { managersOutcome, previewExpiry, previewHour, previewIdOf, readPreviewId } from './preview.js';
export { recordedErrors, recordedReason } from './recorded-errors.js';
export {
  companyStateBytes,
  companyStateVersion,
  decodeCompanyState,
  encodeCompanyState,
} from './snapshot.js';
export type { Hold, PendingImport } from './pending.js';
export {
  type Acceptance,
  type AcceptedIfValid,
  acceptImport,
  defaultQueueBodyBytes,
  isQueued,
  queues,
  thresholdOf,
  unmetCondition,
  integrationSettings,
  maxPendingImports,
} from './accept.js';
export {
  approveImport,
  type DecideHold,
  holdEnds,
  type HoldRejection,
  rejectImport,
  cancelImport,
  type ImportStatus,
  type KnownImport,
  payloadStream,
  retryImport,
  type RetryRejection,
} from './manage.js';
