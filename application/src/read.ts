/** For processes that only read the log: nothing here appends. */

export {
  EventVerifier,
  type BrokenStream,
  type LogProof,
  readProof,
  saveProof,
} from './audit/event-verifier.js';
export { BoundedCache } from './bounded-cache.js';
export { outageNotice, throughOutages } from './audit/through-outages.js';
export { companyFold, CompanyStateCache } from './companies/company-state-cache.js';
export { EmployeeSetFold } from './companies/employee-set-fold.js';
export {
  asBuffer,
  CHAIN_START,
  storedChain,
  verifyChain,
  recordedAtOf,
} from './event-store/linked-events.js';
export { foreignReadModels, isInStream, lastProjectedOf } from './installation/checkpoint.js';
export { initialState, type LoadedState, nextRevision, loadState } from './event-store/load-state.js';
export { fitting, type LoadedEvent, loadEvent } from './event-store/loaded-event.js';
export { eventAt, eventsToEnd } from './event-store/log-reading.js';
export { chunkStreams, isSwept, lastProjected, stagedReference } from './event-store/staged-data.js';
export { releaseMemory, releaseOwn } from '@rollcall/employee-lists';
export { threadLimits } from './process-memory.js';
export {
  damageOf,
  AppendLimited,
  LogRefused,
  type DamageFinder,
  type EventReader,
  type EventSubscriber,
  LogCorrupt,
  LogWentBack,
  type Position,
  type ReadableEventLog,
  type StreamFinding,
  type RecordedEvent,
  type StreamAdmin,
  type SubscriptionItem,
  type SubscriptionOptions,
} from './ports/event-log.js';
export * from './timers.js';
export { sweepTemporaryFiles, temporaryPrefix } from './imports/stored-body.js';
export { endedOperation, operationOf } from './imports/terminal-events.js';
export {
  mayBeDecidedAt,
  notBehindHolds,
  type PendingImportDocument,
  pendingImportsCollection,
  readPendingImports,
  type ShownHold,
} from './read-models/pending-imports.js';
export { isLogUsed, readInstallation } from './installation/installation.js';
export { logSnapshot, putLogSnapshot } from './installation/log-snapshot.js';
export { plain } from './plain-text.js';
export { batchesOf, groupedBy } from './grouped-by.js';
export {
  dueIndexes,
  endedIndexes,
  type HoldDocument,
  invitationCollections,
  type InvitationEnding,
  type ProgressDocument,
} from './invitations/documents.js';
export { atMost, inTurn, type Later, sharing, SingleFlight } from './concurrency.js';
export { type Clock, systemClock } from './ports/clock.js';
export {
  framesOf,
  isOutage,
  Loggable,
  PayloadCorrupt,
  problemOf,
  type ProcessLogger,
} from './ports/problems.js';
export {
  companyHasWork,
  type Queue,
  type QueueName,
  queueNames,
  type QueuePublisher,
  QueueRefused,
} from './ports/queue.js';
export {
  type CollectionDeclaration,
  readModelCollections,
  readModelsVersion,
} from './ports/read-model-collections.js';
export type { StateSnapshot, StateSnapshots } from './ports/state-snapshots.js';
export * from './ports/read-models.js';
export type { TokenSigner } from './api-users/tokens.js';
export type { WebhookAnswer, WebhookMessage, WebhookSender } from './ports/webhook-sender.js';
export * from './read-models/documents.js';
export {
  isLeftOver,
  numberOfEmployee,
  readEmployeeSet,
  type OrderedRows,
  readOrderedRows,
  readRowOf,
  readRows,
  type RowBatch,
  blocksCollection,
  EmployeeSetReplaced,
} from './read-models/employee-rows.js';
export {
  changeDocument,
  changesCollection,
  NamedNumbers,
  type SharedDocument,
  sharedKey,
  GivenIds,
  idsCollection,
} from './read-models/employee-changes.js';
export {
  dueOf,
  dueText,
  lastPlanned,
  maxPlanRanges,
  plannedBehind,
  PlanRanges,
  plansCollection,
  type PlansDocument,
} from './read-models/invitation-plans.js';
export {
  type BlockPlace,
  type EmployeeSet,
  type EmployeeSetDocument,
  employeeSetsCollection,
  newestIn,
  noBlock,
  placeBehind,
  REPLACED_KEPT_MS,
  replacedSet,
  revisionsOf,
  setAt,
  setOfDocument,
  type SetHead,
  type WantedSet,
} from './read-models/employee-set.js';
export {
  recordDate,
  recordText,
  withKeptDate,
  BLOCK_ROWS,
  BlockBuilder,
  blockOf,
  type BlockParts,
  changesIn,
  evolveChanges,
  evolveRows,
  hasLeft,
  type RowChanges,
  rowNow,
  rowOf,
  rowsOf,
  type RowsText,
} from './read-models/row-blocks.js';
export {
  laggingParts,
  numbersOf,
  partOf,
  patternOfParts,
  partsOf,
  partsText,
  positionOfStream,
  progressOfHolder,
  rebalanced,
  sharesOf,
  streamParts,
} from './read-models/shares.js';
export {
  callIndexes,
  calledAt,
  callRowIn,
  heldReason,
  isHeldCall,
  isRejectedCall,
  type CallRow,
  toCallDocument,
  callTerm,
  type CallTerm,
  callTermPattern,
  refusedTermMs,
  shownUntil,
} from './read-models/call-row.js';
