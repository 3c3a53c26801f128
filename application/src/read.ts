/** What a process may have that only reads the log: nothing here appends. */

export { throughOutages } from './audit/through-outages.js';
export { companyFold } from './companies/company-fold.js';
export { CompanyStateCache } from './companies/company-state-cache.js';
export { CHAIN_START, splitMetadata, verifyChain } from './event-store/chain.js';
export { loadState } from './event-store/load-state.js';
export { damageOf } from './event-store/stream-damage.js';
export { eventData, type LoadedEvent, loadEvent } from './event-store/loaded-event.js';
export { lastProjected, notProjected } from './event-store/projected.js';
export { recordedAtOf } from './event-store/recorded-at.js';
export { endedOperation, operationOf } from './imports/ended-operation.js';
export {
  type PendingImportDocument,
  pendingImportsCollection,
  readPendingImports,
} from './imports/pending-imports.js';
export {
  type HoldDocument,
  type OriginDocument,
  invitationCollections,
  type ProgressDocument,
  type TimerDocument,
} from './invitations/documents.js';
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
  type LaggingStream,
  type ParkedStream,
  type DocumentKey,
  type DocumentWrite,
  type GenerationInfo,
  type Progress,
  type ReadModelGeneration,
  type ReadModelReader,
  type ReadModels,
  ReadModelsBuilding,
  ReadModelsUnavailable,
  type ReadModelWriter,
  type StoredDocument,
  type StreamChanges,
  type StreamPlace,
  UnwritableDocument,
} from './ports/read-models.js';
export { FailureReport } from './failure-report.js';
export { type Every, everyByTimer, growingDelay, sleep, type Sleep } from './timers.js';
export type { TokenSigner } from './ports/token-signer.js';
export { within } from './within.js';
export { foreignReadModels, lastProjectedOf } from './event-store/checkpoint.js';
export { largeEventBytes } from './read-model-wait.js';
export { isLogUsed, readInstallation } from './installation/installation.js';
