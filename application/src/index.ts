export * from './read.js';
export { BoundedCache } from './bounded-cache.js';
export * from './imports/arriving-body.js';
export { recordReveal } from './access/access-log.js';
export { AccessRecorder } from './access/access-recorder.js';
export {
  addApiUser,
  apiUsersFold,
  apiUsersStream,
  readApiUsers,
  revokeApiUser,
  revokeToken,
} from './api-users/api-users.js';
export { apiUsersStates } from './api-users/api-users.js';
export { findIssuedToken, issueToken, readIssuedTokens } from './api-users/tokens.js';
export {
  type AuditPart,
  type AuditFields,
  auditParts,
  type AuditRow,
  type FieldChange,
  MASK,
  type Origin,
  personalFields,
} from './audit/audit-row.js';
export { type CompanyAt, companyAt, type Moment } from './audit/company-at.js';
export { causeTree } from './audit/cause-tree.js';
export { employeeHistory, findEmployee, type HistoryRow } from './audit/employee-history.js';
export { factsOf } from './audit/event-facts.js';
export { type ExplainedEvent, explainOperation } from './audit/explain-operation.js';
export { allEvents, eventFilter, type EventFilter } from './audit/log-events.js';
export { type DiffRow, diffRows, type StateOptions, stateRows } from './audit/state-rows.js';
export { isOfCompany } from './audit/company-events.js';
export {
  ChainCheck,
  EventSum,
  finishImport,
  importEvents,
  isImported,
  readLog,
} from './audit/copy-events.js';
export { type Anchor, type AnchorKey, anchorOf } from './audit/anchor.js';
export { anchorIfDue, makeAnchor, type MakeAnchorDeps, newestAnchor } from './audit/anchor-log.js';
export { AnchorCheck, type AnchorsVerdict, type NamedAnchor, ownAnchors } from './audit/check-anchors.js';
export { lostEvents } from './audit/lost-events.js';
export { problemOfProof, type Proof, proveEvent } from './audit/prove.js';
export { type CompaniesVerdict, verifyCompanies } from './audit/verify-companies.js';
export { type DamagedStream, type LogVerdict, verifyLog } from './audit/verify-log.js';
export {
  configureCompany,
  readCompanies,
  readCompanySettings,
  wasIntegrationOn,
} from './companies/companies.js';
export { CompanyLoads, SmallCompanyStates, type SharedState } from './companies/company-state-cache.js';
export * from './companies/templates.js';
export {
  type ChainLink,
  chainOf,
  withChain,
  eventId,
  type JsonSource,
  type NewEvent,
  newId,
  systemContext,
  systemUsername,
} from './event-store/linked-events.js';
export {
  decideAndAppend,
  type DecideAndAppendDeps,
  decideStep,
  type Decision,
  type Outcome,
  type PreparedEvents,
  type StepRequest,
} from './event-store/decide-and-append.js';
export { type Fold, foldStream, INITIAL_HEAD, type StateStore } from './event-store/load-state.js';
export { readsWithRetry } from './event-store/outage-retry.js';
export { LATE_MS } from './event-store/preparation.js';
export { CHUNK_BYTES, CHUNK_TYPE } from './event-store/staged-data.js';
export { type PayloadWriter, type WrittenPayload, readPayload } from './imports/payloads.js';
export type { ImportEngineOptions, UnprovenReason } from './imports/import-deps.js';
export { ImportEngine } from './imports/import-engine.js';
export {
  type FindRows,
  type ShownRow,
  type ArrivingImport,
  type BareImportRequest,
  type BodyIntake,
  type FoundEmployee,
  type ImportOutcome,
  type ImportRequest,
  type ImportRunner,
  type Imports,
  ImportsBusy,
  type ImportRun,
  isRun,
  type RunOptions,
  type RunResult,
  type StoredRows,
  type Written,
  RunStopped,
  isOfEmployees,
  type Preview,
} from './ports/imports.js';
export * from './imports/manage-imports.js';
export { discardRows, joined, parsedRows, previewRows, takeRows } from './imports/preview-rows.js';
export {
  type CsvColumn,
  csvFields,
  type CsvList,
  type CsvMapping,
  type CsvProblem,
  problemInFile,
  readCsvList,
} from './imports/csv-list.js';
export { recordRefusal } from './imports/operation-log.js';
export { refuseUnfinishedImport } from './installation/import-mark.js';
export { createInstallation, extendCatalogue, typesOfNewerPrograms } from './installation/installation.js';
export * from './invitations/manage-invitations.js';
export * from './invitations/send-invitation.js';
export {
  OpenInvitations,
  type OpenOfCompany,
  type OpenReader,
  type SavedInvitations,
} from './invitations/open-invitations.js';
export { InvitationsSnapshot, SAVE_INVITATIONS_MS } from './invitations/saved-invitations.js';
export { readInvitation, readInvitations } from './invitations/read-invitations.js';
export { readPlansOf } from './read-models/invitation-plans.js';
export type { DueInvitation } from './invitations/invitation-log.js';
export { onlyOwn, ReadModelWait } from './own-read-models.js';
export {
  checkAppend,
  checkStreamName,
  MAX_APPEND_BYTES,
  isStreamName,
  STREAM_FAMILIES,
  type AppendResult,
  AppendTooLarge,
  type EventLog,
  EventLogUnavailable,
  type EventToAppend,
  type ExpectedRevision,
  type ReadOptions,
  StreamDeleted,
  type StreamFinding,
  unlessCorrupt,
} from './ports/event-log.js';
export { importLimits } from './ports/import-limits.js';
export * from './ports/mailer.js';
export {
  dueInvitationsOf,
  invitationsAreDue,
  workOf,
  checkBody,
  checkMaxUnsettled,
  wholeDelay,
  ACK_DEADLINE_MS,
  type ConsumeOptions,
  type Delivery,
  MAX_MESSAGE_BYTES,
  type QueueDepth,
  type QueueName,
  queueNames,
  QueueRefused,
  QueueUnavailable,
} from './ports/queue.js';
export { movedProgress, withShares } from './read-models/shares.js';
export { heldAndBehind } from './read-models/pending-imports.js';
export { apiCallRow, apiCallRows, type ApiCallsBefore, readApiCalls } from './read-models/api-calls.js';
export { type InvitationRate, Limiter, RateLimiter } from './concurrency.js';
export { type KeyedSurveyResult, KeyedSurveys } from './surveys/keyed-surveys.js';
export { SurveyCommands, surveyStream, type SurveyResult } from './surveys/survey-commands.js';
export * from './operators/operator-sessions.js';
export type { NothingToUndo } from './undo/find-import.js';
export { type NamedList, spacedWords } from './undo/undo-handler.js';
export * from './undo/undo-import.js';
export { deliver, type DeliverDeps, type Delivered, moveOn, secretsOf } from './webhooks/deliver.js';
export { notifier, type Notify, type WebhookQueue } from './webhooks/notifier.js';
export { WebhookFeed } from './webhooks/webhook-feed.js';
export {
  webhookSecrets,
  changeWebhook,
  readWebhooks,
  webhooksStream,
  WebhookStates,
} from './webhooks/webhooks.js';
export {
  type DifferencePart,
  differenceParts,
  importDifference,
  wholeDifference,
} from './operations/import-difference.js';
export * from './operations/manager-difference.js';
export { employeeTimeline, invitationEvents, type TimelineRow } from './operations/employee-timeline.js';
export { findFormer, findPeople, type FoundPerson } from './operations/find-people.js';
export {
  findImport,
  type ImportPage,
  type ImportQuery,
  type ImportState,
  importStates,
  listImports,
  type ListedImport,
  maxLooked,
} from './operations/import-list.js';
export {
  type Edges,
  failedByCompany,
  headcount,
  importActivity,
  importsAttention,
  invitationActivity,
} from './operations/activity.js';
export {
  companyBatches,
  findCompanies,
  knownCompanies,
  type KnownCompany,
  logInTime,
  rowsAt,
  rowsBetween,
  TooLong,
} from './operations/company-moments.js';
export { importLife, type ImportLife, type LifeEvent } from './operations/import-life.js';
export { endedInvitations, InvitationBoard, plannedIn } from './operations/invitation-board.js';
export { failingWebhooks, type FailingWebhook } from './operations/failing-webhooks.js';
export { companiesToSend, dueInvitations, readWork, type WaitingWork } from './operations/waiting-work.js';
export { type InvitedByImport, invitedBy } from './operations/invited-by.js';
export { dayEdges, dayOf, localTime, startOfDay, startOfNextDay } from './operations/zone-days.js';
