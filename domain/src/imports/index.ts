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
  type EventPosition,
  type ImportCounts,
  initialCompanyState,
  isHeld,
  managerCounts,
  pendingOf,
  type RevisionOfKind,
} from './company-state.js';
export {
  managersOutcome,
  type PreviewDifference,
  previewExpiry,
  previewHour,
  previewIdOf,
  type PreviewProblem,
  readPreviewId,
} from './preview.js';
export { recordedErrors, recordedReason } from './recorded-errors.js';
export {
  companyStateBytes,
  companyStateVersion,
  decodeCompanyState,
  encodeCompanyState,
} from './snapshot.js';
export type { Hold, KeptKey, PendingImport } from './pending.js';
export {
  type Acceptance,
  type AcceptedIfValid,
  acceptImport,
  defaultQueueBodyBytes,
  managerQueueThreshold,
  type AcceptImport,
  isQueued,
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
  type CancelDecision,
  cancelImport,
  type CancelImport,
  type ImportStatus,
  type KnownImport,
  payloadStream,
  type RetryDecision,
  retryImport,
  type RetryImport,
  type RetryRejection,
} from './manage.js';
export { KeptKeys, keyLifetimeMs, maxKeptKeys } from './kept-keys.js';
