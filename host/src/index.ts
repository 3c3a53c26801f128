export * from './read.js';
export { adaptersConfig, adapterVariables } from './configuration/common-config.js';
export { oneOf } from './configuration/environment.js';
export {
  invitationsConfig,
  type InvitationsConfig,
  invitationVariables,
} from './configuration/invitation-config.js';
export { pageVariables, processAddresses } from './configuration/page-config.js';
export { webhookNetworks, webhookVariables } from './configuration/webhook-config.js';
export { guardedLog, both, measuredEventLog } from './event-log/watched-log.js';
export { askProcesses, type FoundProcess } from './health/ask-processes.js';
export { DamageWatch } from './health/damage-watch.js';
export {
  degradation,
  type HealthAnswer,
  type HealthProblem,
  liveAnswer,
  outage,
  readyAnswer,
} from './health/health.js';
export { readModelLag } from './health/read-model-lag.js';
export { ProofWatch, recordVerified } from './health/proof-watch.js';
export { queueProblems, type ReadinessParts } from './health/readiness.js';
export { outboxPlace } from './health/write-places.js';
export { WriteWatch } from './health/write-watch.js';
export { type ImportPoolDeps, type ImportPoolOptions, openImportPool } from './import-threads/import-pool.js';
export { findRows } from './import-threads/find-rows.js';
export { openImports } from './import-threads/open-imports.js';
export { rulesNumber, rulesVersion } from './import-threads/rules-version.js';
export { withServersThere } from './installation/awaited-servers.js';
export { beginInstallation, installationKeys } from './installation/begin-installation.js';
export { beginUse, isInUse, leaveFolders } from './installation/folder-use.js';
export type { Installation } from './installation/installation.js';
export { listenProblem } from './listen-problem.js';
export { Metrics } from './metrics/metrics.js';
export { openOperationsServer } from './metrics/operations-server.js';
export { eventLogObserver, lagInEvents, MOST_LAG, watchStores } from './metrics/store-metrics.js';
export { createLogger, type Logger, processLogger } from './process/logger.js';
export { tracedImports, tracedRunner } from './tracing/traced-imports.js';
