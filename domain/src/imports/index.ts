export {
  afterEmployeeSet,
  afterGivenUp,
  afterHold,
  afterManagerRoles,
  afterQueued,
  type CompanyState,
  type EventPosition,
  type ImportCounts,
  initialCompanyState,
  managerCounts,
  pendingOf,
  type RevisionOfKind,
} from './company-state.js';
export { employeesOutcome, managersOutcome } from './outcome.js';
export { recordedErrors, recordedReason } from './recorded-errors.js';
export { KeptKeys, keyLifetimeMs, maxKeptKeys } from './kept-keys.js';
export type { KeptKey, PendingImport } from './pending.js';
export {
  type PreviewDifference,
  previewExpiry,
  previewHour,
  previewIdOf,
  type PreviewProblem,
  readPreviewId,
} from './preview.js';
export {
  companyStateBytes,
  companyStateVersion,
  decodeCompanyState,
  encodeCompanyState,
} from './snapshot.js';
export {
  type Acceptance,
  acceptImport,
  defaultQueueBodyBytes,
  managerQueueThreshold,
  type AcceptImport,
  isQueued,
  unmetCondition,
  integrationSettings,
  maxPendingImports,
} from './accept.js';
export { type CancelDecision, cancelImport, type CancelImport } from './cancel.js';
export {
  type ImportStatus,
  type KnownImport,
  payloadStream,
  type RetryDecision,
  retryImport,
  type RetryImport,
  type RetryRejection,
} from './retry.js';
