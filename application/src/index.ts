export {
  addApiUser,
  apiUsersFold,
  apiUsersStream,
  readApiUsers,
  revokeApiUser,
  revokeToken,
} from './api-users/api-users.js';
export { findIssuedToken, issueToken, readIssuedTokens } from './api-users/tokens.js';
export { type CompaniesVerdict, verifyCompanies } from './audit/verify-companies.js';
export { type LogVerdict, verifyLog } from './audit/verify-log.js';
export { configureCompany, readCompanies, readCompanySettings } from './companies/companies.js';
export { companyFold } from './companies/company-fold.js';
export { CompanyLoads } from './companies/company-loads.js';
export { CompanyStateCache } from './companies/company-state-cache.js';
export { SmallCompanyStates, type ToldState } from './companies/small-company-states.js';
export {
  readInvitationTemplates,
  setInvitationTemplate,
  type TemplateInForce,
} from './companies/templates.js';
export {
  CHAIN_START,
  type ChainLink,
  chainOf,
  splitMetadata,
  verifyChain,
  withChain,
} from './event-store/chain.js';
export {
  decideAndAppend,
  type DecideAndAppendDeps,
  type DecideRequest,
  decideStep,
  type Decision,
  type Outcome,
  type PreparedEvents,
  type StepRequest,
} from './event-store/decide-and-append.js';
export {
  type Fold,
  foldStream,
  INITIAL_HEAD,
  type LoadedState,
  type StateStore,
} from './event-store/fold.js';
export { loadState, type StateSource } from './event-store/load-state.js';
export { damageOf } from './event-store/stream-damage.js';
export { eventData, type LoadedEvent, loadEvent } from './event-store/loaded-event.js';
export { eventId, type JsonSource, type NewEvent } from './event-store/new-events.js';
export { isSwept, lastProjected, notProjected } from './event-store/projected.js';
export { CHUNK_BYTES, CHUNK_TYPE, stagedReference } from './event-store/staged-data.js';
export { LATE_MS } from './event-store/preparation.js';
export { type UnprovenReason } from './imports/unproven.js';
export {
  type ArrivedBody,
  ArrivingBody,
  type ArrivingBodyDeps,
  ReaderPlaces,
} from './imports/arriving-body.js';
export type { ArrivingPayload, WrittenPayload } from './imports/arriving-payload.js';
export { LastBodies } from './imports/body-marks.js';
export type { ImportEngineOptions } from './imports/import-deps.js';
export { ImportEngine } from './imports/import-engine.js';
export type { FindNames } from './imports/import-handler.js';
export { companyIds, companyOfOperation, knownImport } from './imports/known-imports.js';
export {
  type CancelOutcome,
  cancelQueuedImport,
  type ManageImportsDeps,
  type RetryOutcome,
  retryQueuedImport,
} from './imports/manage-imports.js';
export { PayloadCorrupt, readPayload } from './imports/payloads.js';
export { type PendingImportDocument, readPendingImports } from './imports/pending-imports.js';
export { recordRefusal } from './imports/refusals.js';
export { mostAttempts, mostLostStarts } from './imports/run-import.js';
export { invitationCollections, type ProgressDocument } from './invitations/documents.js';
export {
  cancelInvitation,
  holdInvitations,
  type ManageInvitationsDeps,
  resendInvitation,
} from './invitations/manage-invitations.js';
export { messageIds } from './invitations/message-ids.js';
export { type InvitationRate, RateLimiter } from './invitations/rate-limiter.js';
export { readInvitation, readInvitations } from './invitations/read-invitations.js';
export type { DueInvitation } from './invitations/recipient.js';
export {
  CompanyRound,
  type InvitationEnd,
  type SendDeps,
  sendInvitation,
} from './invitations/send-invitation.js';
export { checkAppend, checkStreamName, MAX_APPEND_BYTES } from './ports/append-rules.js';
export { type Clock, systemClock } from './ports/clock.js';
export {
  type AppendResult,
  AppendTooLarge,
  type EventLog,
  EventLogUnavailable,
  type EventReader,
  type EventToAppend,
  type ExpectedRevision,
  AppendLimited,
  LogCorrupt,
  LogWentBack,
  type DamageFinder,
  type StreamFinding,
  type Position,
  type ReadableEventLog,
  type ReadOptions,
  type RecordedEvent,
  StreamDeleted,
  type SubscriptionItem,
  type SubscriptionOptions,
} from './ports/event-log.js';
export { newId } from './ports/ids.js';
export {
  type ArrivingImport,
  type BareImportRequest,
  type BodyIntake,
  type ImportOutcome,
  type ImportRequest,
  type ImportRunner,
  type RunPlace,
  type Imports,
  ImportsBusy,
  isRun,
  type RunResult,
} from './ports/imports.js';
export type { LinkFor } from './ports/invitation-links.js';
export {
  type Mail,
  type Mailbox,
  type Mailer,
  MailerUnusable,
  type MailOutcome,
  type SendOptions,
} from './ports/mailer.js';
export { framesOf, isOutage, problemOf, type ProcessLogger } from './ports/problems.js';
export { companyHasWork, dueInvitationsOf, invitationsAreDue, workOf } from './ports/queue-messages.js';
export { checkBody, checkMaxUnsettled, wholeDelay } from './ports/queue-rules.js';
export {
  ACK_DEADLINE_MS,
  type ConsumeOptions,
  type Delivery,
  MAX_MESSAGE_BYTES,
  type Queue,
  type QueueDepth,
  type QueueName,
  queueNames,
  type QueuePublisher,
  QueueUnavailable,
} from './ports/queue.js';
export {
  ForeignReadModels,
  type LastProjected,
  type ParkedStream,
  type DocumentKey,
  type DocumentWrite,
  type FindOptions,
  type GenerationInfo,
  type IndexOptions,
  type NewestDocument,
  type Progress,
  type ReadModelGeneration,
  type ReadModelReader,
  type ReadModels,
  ReadModelsBuilding,
  ReadModelsUnavailable,
  type ReadModelWriter,
  type StateSnapshot,
  type StoredDocument,
  type StreamChanges,
  UnwritableDocument,
} from './ports/read-models.js';
export { type CollectionDeclaration, readModelCollections } from './ports/read-model-collections.js';
export {
  type ApiCallAttempts,
  apiCallsCollection,
  attemptsCollection,
  type EmployeeSetDocument,
  type ManagerSetDocument,
  type StreamDocument,
  withAttempts,
} from './read-models/documents.js';
export {
  type ApiCallsBefore,
  type ApiCallText,
  apiCallRow,
  apiCallRows,
  readApiCalls,
} from './read-models/api-calls.js';
export { OpenInvitations } from './invitations/open-invitations.js';
export { readPlans, type StoredPlans } from './invitations/read-plans.js';
export {
  blocksCollection,
  type EmployeeRow,
  numberOfEmployee,
  orderCollection,
  orderedEntries,
  type OrderedRows,
  orderRunsCollection,
  readOrderedRows,
  readRow,
  readRowById,
  readRows,
} from './read-models/employee-rows.js';
export {
  countPlanned,
  dueOf,
  dueText,
  earliestDue,
  lastPlanned,
  PLAN_RANGES,
  type PlannedInvitation,
  plannedBehind,
  type PlannedRange,
  PlanRanges,
  plansCollection,
  type PlansDocument,
  rangesDue,
} from './read-models/invitation-plans.js';
export {
  decodeDirectory,
  decodeRun,
  encodeDirectory,
  encodeRun,
  entriesBehind,
  numberIn,
  type OrderChanges,
  type OrderDirectory,
  type OrderEntry,
  type OrderRewrite,
  type OrderRun,
  type OrderStep,
  orderSteps,
  placeOfRun,
  rewritten,
  RUN_ENTRIES,
  runOf,
  type OrderPlace,
  runsBehind,
} from './read-models/order-runs.js';
export {
  BLOCK_ROWS,
  BlockBuilder,
  blockOf,
  encodeRows,
  evolveRows,
  firstOfBlock,
  type NumberedRow,
  numbersOf,
  type RowChanges,
  rowOf,
  rowsOf,
} from './read-models/row-blocks.js';
export { isStreamName, STREAM_FAMILIES } from './ports/stream-names.js';
export type { TokenSigner } from './ports/token-signer.js';
export { RunStopped } from './ports/run-stopped.js';
export { onlyOwn } from './own-read-models.js';
export { ReadModelWait, type Written } from './read-model-wait.js';
export { type KeyedSurveyResult, KeyedSurveys } from './surveys/keyed-surveys.js';
export { SurveyCommands, surveyStream } from './surveys/survey-commands.js';
export { FailureReport } from './failure-report.js';
export { recordedAtOf } from './event-store/recorded-at.js';
export { type Every, everyByTimer, growingDelay, sleep, type Sleep } from './timers.js';
export { SingleFlight } from './single-flight.js';
export { within } from './within.js';
export { foreignReadModels, lastProjectedOf } from './event-store/checkpoint.js';
export {
  createInstallation,
  extendCatalogue,
  isLogUsed,
  readInstallation,
  typesOfNewerPrograms,
} from './installation/installation.js';
