/** What a process may have that only reads the log: nothing here appends. */

export { throughOutages } from './audit/through-outages.js';
export { companyFold } from './companies/company-fold.js';
export { CompanyStateCache } from './companies/company-state-cache.js';
export { EmployeeSetFold } from './companies/employee-set-fold.js';
export { CHAIN_START, splitMetadata, verifyChain } from './event-store/chain.js';
export { foreignReadModels, isInStream, lastProjectedOf } from './event-store/checkpoint.js';
export { headAt, initialState, type LoadedState, nextRevision } from './event-store/fold.js';
export { loadState } from './event-store/load-state.js';
export { eventData, type LoadedEvent, loadEvent } from './event-store/loaded-event.js';
export { lastProjected, notProjected } from './event-store/projected.js';
export { recordedAtOf } from './event-store/recorded-at.js';
export { releaseMemory } from './event-store/release-memory.js';
export { stagedReference } from './event-store/staged-data.js';
export { damageOf } from './event-store/stream-damage.js';
export { FailureReport } from './failure-report.js';
export { endedOperation, operationOf } from './imports/ended-operation.js';
export {
  type PendingImportDocument,
  pendingImportsCollection,
  readPendingImports,
} from './imports/pending-imports.js';
export { isLogUsed, readInstallation } from './installation/installation.js';
export { groupedBy } from './grouped-by.js';
export { type HoldDocument, invitationCollections, type ProgressDocument } from './invitations/documents.js';
export { type Clock, systemClock } from './ports/clock.js';
export {
  AppendLimited,
  type DamageFinder,
  type EventReader,
  type EventSubscriber,
  LogCorrupt,
  LogWentBack,
  type Position,
  type ReadableEventLog,
  type RecordedEvent,
  type StreamAdmin,
  type SubscriptionItem,
  type SubscriptionOptions,
} from './ports/event-log.js';
export { framesOf, isOutage, problemOf, type ProcessLogger } from './ports/problems.js';
export { companyHasWork } from './ports/queue-messages.js';
export type { Queue, QueuePublisher } from './ports/queue.js';
export { type CollectionDeclaration, readModelCollections } from './ports/read-model-collections.js';
export type { StateSnapshot, StateSnapshots } from './ports/state-snapshots.js';
export {
  type DocumentKey,
  type DocumentWrite,
  type FindOptions,
  ForeignReadModels,
  type GenerationInfo,
  type IndexOptions,
  type LastProjected,
  type NewestDocument,
  type ParkedStream,
  type Progress,
  type ProgressChanges,
  type ReadModelGeneration,
  type ReadModelReader,
  type ReadModels,
  ReadModelsBuilding,
  ReadModelsUnavailable,
  type ReadModelWriter,
  type StoredDocument,
  type TakeValue,
  UnwritableDocument,
} from './ports/read-models.js';
export type { TokenSigner } from './ports/token-signer.js';
export {
  type ApiCallAttempts,
  apiCallsCollection,
  attemptsCollection,
  type EmployeeSetDocument,
  type ManagerSetDocument,
  type StreamDocument,
  fromJson,
} from './read-models/documents.js';
export {
  blocksCollection,
  numberOfEmployee,
  orderCollection,
  type OrderedRows,
  orderRunsCollection,
  readOrderedRows,
  readRows,
  type RowBatch,
} from './read-models/employee-rows.js';
export {
  dueOf,
  dueText,
  lastPlanned,
  PLAN_RANGES,
  plannedBehind,
  PlanRanges,
  plansCollection,
  type PlansDocument,
} from './read-models/invitation-plans.js';
export {
  decodeDirectory,
  decodeRun,
  encodeDirectory,
  encodeRun,
  idsIn,
  joinedRuns,
  numberIn,
  type OrderChanges,
  type OrderDirectory,
  type OrderEntries,
  type OrderEntry,
  type OrderPlace,
  type OrderRewrite,
  type OrderRun,
  orderSteps,
  partBehind,
  placeOfRun,
  rewritten,
  RESTING_SLOTS,
  RUN_ENTRIES,
  Slots,
  type StoredDirectory,
  runOf,
  runsBehind,
  type RunText,
  textOfRun,
} from './read-models/order-runs.js';
export {
  BLOCK_ROWS,
  BlockBuilder,
  blockOf,
  evolveRows,
  firstOfBlock,
  numbersOf,
  rowOf,
  rowsOf,
  type RowsText,
} from './read-models/row-blocks.js';
export { type Every, everyByTimer, growingDelay, sleep, type Sleep } from './timers.js';
export { untilDone } from './until-done.js';
export { within } from './within.js';
