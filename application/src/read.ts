/** What a process may have that only reads the log: nothing here appends. */

export { throughOutages } from './audit/through-outages.js';
export { companyFold } from './companies/company-fold.js';
export { CompanyStateCache } from './companies/company-state-cache.js';
export { CHAIN_START, splitMetadata, verifyChain } from './event-store/chain.js';
export { loadState } from './event-store/load-state.js';
export { damageOf } from './event-store/stream-damage.js';
export { eventData, type LoadedEvent, loadEvent } from './event-store/loaded-event.js';
export { lastProjected, notProjected } from './event-store/projected.js';
export { stagedReference } from './event-store/staged-data.js';
export { recordedAtOf } from './event-store/recorded-at.js';
export { endedOperation, operationOf } from './imports/ended-operation.js';
export {
  type PendingImportDocument,
  pendingImportsCollection,
  readPendingImports,
} from './imports/pending-imports.js';
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
export {
  type LastProjected,
  ForeignReadModels,
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
export { FailureReport } from './failure-report.js';
export { type Every, everyByTimer, growingDelay, sleep, type Sleep } from './timers.js';
export type { TokenSigner } from './ports/token-signer.js';
export { within } from './within.js';
export { foreignReadModels, lastProjectedOf } from './event-store/checkpoint.js';
export { isLogUsed, readInstallation } from './installation/installation.js';
