export * from './read.js';
export * from './adapters-config.js';
export { appendLine } from './append-line.js';
export { backUp } from './backup/backup.js';
export { exportLog, type ExportRequest } from './backup/export.js';
export { type ExportManifest, eventOfLine, lineOf } from './backup/export-format.js';
export type { Manifest } from './backup/manifest.js';
export { checkExport, exportedEvents, readExportManifest } from './backup/read-export.js';
export { isBeingRestored, restore } from './backup/restore.js';
export { ConfigInvalid } from './config-invalid.js';
export { openEmbeddedEventLog } from './event-log/embedded/embedded-event-log.js';
export { connectionStringProblem } from './event-log/eventstoredb/connection-string.js';
export { createOnce, hasCode, insteadOf, makePrivateFolder, replaceFile } from './keys/files.js';
export { invitationKeyPaths, openInvitationLinks } from './keys/invitation-links.js';
export * from './keys/keys.js';
export * from './keys/token-keys.js';
export { StoreDamaged } from './lmdb-folder.js';
export { openFileMailer } from './mailer/file-mailer.js';
export { parseMailbox } from './mailer/compose.js';
export { openSmtpMailer, type SmtpMailerOptions, smtpUrlProblem } from './mailer/smtp-mailer.js';
export {
  type Adapters,
  openAdapters,
  openEventLog,
  openMailer,
  openQueue,
  openReadModels,
  openLogStores,
  openStores,
  type LogStores,
  type Stores,
} from './open-adapters.js';
export * from './open-servers.js';
export { type Opened, together } from './parts.js';
export { type FoundServer, type ServerProbes, serverProbes } from './probes/index.js';
export { isAlive, startOf } from './process-lifetime.js';
export { type EmbeddedQueueOptions, openEmbeddedQueue } from './queue/embedded/embedded-queue.js';
export { checkNatsPrefix, parseNatsUrl } from './queue/nats/address.js';
export type { NatsQueueOptions } from './queue/nats/nats-queue.js';
export type { EmbeddedReadModelsOptions } from './read-models/embedded/open.js';
export { openEmbeddedSnapshots } from './snapshots/embedded.js';
export { parseNetworks, type Networks } from './webhooks/addresses.js';
export { openWebhookSender } from './webhooks/http-sender.js';
export { version } from './version.js';
export { embeddedAmong, ensureWhole, type StoreName } from './whole-files.js';
