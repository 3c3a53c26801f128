export { readWorkerConfig, workerVariables, type WorkerConfig } from './config.js';
export { newWorkerCounts, type WorkerCounts } from './counts.js';
export {
  DUE_AFTER_MS,
  StalledImports,
  resendStalledImports,
  type StalledImportsDeps,
  type StalledImportsOptions,
} from './stalled-imports.js';
export { type AnchorsConfig, HourlyAnchors, runAnchors } from './hourly-anchors.js';
export {
  newInvitationCounts,
  type InvitationCounts,
  recordInvitation,
  runInvitations,
  type InvitationsOptions,
} from './invitations/run-invitations.js';
export {
  AGAIN_AFTER_MS,
  DueInvitations,
  LOOK_EVERY_MS,
  runDueInvitations,
  type DueInvitationsDeps,
} from './invitations/due-loop.js';

export {
  invitationReport,
  type InvitationReport,
  type InvitationReportOptions,
} from './invitation-report.js';
export { startWebhooks, type StartWebhooksOptions } from './start-webhooks.js';
export { runWebhooks, type WebhooksDeps } from './webhooks/run-webhooks.js';
export { startInvitations, type StartInvitationsOptions } from './start-invitations.js';
export { runWorker, type WorkerOptions } from './run-worker.js';
export { settlementOf, type DeliveryEnd, type Settlement } from './run-company.js';
export { startWorker, type RunningWorker, type StartWorkerOptions } from './start-worker.js';
