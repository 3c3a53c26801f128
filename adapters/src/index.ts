export * from './read.js';
export { type AdaptersConfig, embeddedAdapters } from './adapters-config.js';
export { backUp } from './backup/backup.js';
export type { Manifest } from './backup/manifest.js';
export { restore } from './backup/restore.js';
export { openEmbeddedEventLog } from './event-log/embedded/embedded-event-log.js';
export { withLogThere } from './host/awaited-log.js';
export { beginInstallation, installationKeys } from './host/begin-installation.js';
export { adaptersConfig, adapterVariables } from './host/common-config.js';
export { DamageWatch } from './host/damage-watch.js';
export { ConfigInvalid, oneOf } from './host/environment.js';
export { guardedLog } from './host/guarded-log.js';
export {
  degradation,
  type HealthAnswer,
  type HealthProblem,
  liveAnswer,
  outage,
  readyAnswer,
} from './host/health.js';
export type { Installation } from './host/installation.js';
export { invitationsConfig, type InvitationsConfig, invitationVariables } from './host/invitation-config.js';
export { recordVerified } from './host/last-verified.js';
export { listenProblem } from './host/listen-problem.js';
export { createLogger, type Logger } from './host/logger.js';
export { both, measuredEventLog } from './host/metrics/measured-event-log.js';
export { measuredRunner } from './host/metrics/measured-runner.js';
export { Metrics } from './host/metrics/metrics.js';
export { openOperationsServer } from './host/metrics/operations-server.js';
export { eventLogObserver, lagInEvents, MOST_LAG, watchStores } from './host/metrics/store-metrics.js';
export { openImports } from './host/open-imports.js';
export { processLogger } from './host/process-logger.js';
export { queueProblems, type ReadinessParts } from './host/readiness.js';
export { tracedImports, tracedRunner } from './host/tracing/traced-imports.js';
export { outboxPlace } from './host/write-places.js';
export { WriteWatch } from './host/write-watch.js';
export { type ImportPoolDeps, openImportPool } from './import-threads/import-pool.js';
export { createOnce } from './keys/files.js';
export { invitationKeyPlaces, openInvitationLinks } from './keys/invitation-links.js';
export { keyPlaces, KeysUnusable, openKeys } from './keys/keys.js';
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
export {
  type EventStoreDbOptions,
  openEventStoreDbEventLog,
  openMongodbReadModels,
  openMongodbSnapshots,
  openNatsQueue,
} from './open-servers.js';
export { type FoundServer, type ServerProbes, serverProbes } from './probes/index.js';
export { projectionsVersion } from './projections-version.js';
export { type EmbeddedQueueOptions, openEmbeddedQueue } from './queue/embedded/embedded-queue.js';
export type { NatsQueueOptions } from './queue/nats/nats-queue.js';
export type { EmbeddedReadModelsOptions } from './read-models/embedded/open.js';
export { openEmbeddedSnapshots } from './snapshots/embedded.js';
