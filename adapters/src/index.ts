export { type AdaptersConfig, embeddedAdapters } from './adapters-config.js';
export { backUp, type BackupRequest } from './backup/backup.js';
export { CopyRefused, type Manifest } from './backup/manifest.js';
export { restore, type RestoreRequest } from './backup/restore.js';
export { openEmbeddedEventLog } from './event-log/embedded/embedded-event-log.js';
export {
  adaptersConfig,
  adapterVariables,
  commonConfig,
  type CommonConfig,
  commonVariables,
} from './host/common-config.js';
export { withLogThere, type WhileWaiting } from './host/awaited-log.js';
export { beginInstallation, installationKeys, InstallationMismatch } from './host/begin-installation.js';
export { ConfigInvalid, oneOf, readEnvironment } from './host/environment.js';
export { type Installation, openInstallation, serveOperations } from './host/installation.js';
export { invitationsConfig, type InvitationsConfig, invitationVariables } from './host/invitation-config.js';
export { DamageWatch } from './host/damage-watch.js';
export { guardedLog } from './host/guarded-log.js';
export { recordVerified } from './host/last-verified.js';
export { listenProblem } from './host/listen-problem.js';
export { createLogger, type Logger } from './host/logger.js';
export { both, measuredEventLog } from './host/metrics/measured-event-log.js';
export { measuredRunner } from './host/metrics/measured-runner.js';
export { Metrics } from './host/metrics/metrics.js';
export { openOperationsServer } from './host/metrics/operations-server.js';
export { eventLogObserver, lagInEvents, MOST_LAG, watchStores } from './host/metrics/store-metrics.js';
export { openImports } from './host/open-imports.js';
export { type Closable, openInParts } from './host/parts.js';
export {
  degradation,
  liveAnswer,
  outage,
  readyAnswer,
  type HealthAnswer,
  type HealthProblem,
} from './host/health.js';
export { partProblems, queueProblems, type ReadinessParts } from './host/readiness.js';
export { processLogger } from './host/process-logger.js';
export { releaseMemory } from './host/release-memory.js';
export { dataFolderPlace, outboxPlace, type WritePlace } from './host/write-places.js';
export { openTracing } from './host/tracing/open-tracing.js';
export { noTracing, type Tracing, type TracingConfig } from './host/tracing/tracing.js';
export { tracedImports, tracedRunner } from './host/tracing/traced-imports.js';
export { WriteWatch } from './host/write-watch.js';
export { runProcess } from './host/run-process.js';
export { type ImportPoolDeps, openImportPool } from './import-threads/import-pool.js';
export { createOnce } from './keys/files.js';
export { invitationKeyPlaces, openInvitationLinks } from './keys/invitation-links.js';
export { keyPlaces, type Keys, KeysUnusable, openKeys } from './keys/keys.js';
export {
  createSigningKey,
  type KeyFolder,
  readKeyFolder,
  readPublicKeys,
  readSigningKey,
  tokenSigner,
} from './keys/token-keys.js';
export { openFileMailer } from './mailer/file-mailer.js';
export { parseMailbox } from './mailer/mailbox.js';
export { openSmtpMailer, type SmtpMailerOptions } from './mailer/smtp-mailer.js';
export { projectionsVersion } from './projections-version.js';
export {
  type Adapters,
  openAdapters,
  openEventLog,
  openMailer,
  openQueue,
  openReadModels,
  openStores,
  type Stores,
} from './open-adapters.js';
export { type FoundServer, type ServerProbes, serverProbes } from './probes/index.js';
export {
  type EventStoreDbOptions,
  openEventStoreDbEventLog,
  openMongodbReadModels,
  openNatsQueue,
} from './open-servers.js';
export { type EmbeddedQueueOptions, openEmbeddedQueue } from './queue/embedded/embedded-queue.js';
export type { NatsQueueOptions } from './queue/nats/nats-queue.js';
export { type EmbeddedReadModelsOptions, openEmbeddedReadModels } from './read-models/embedded/open.js';
