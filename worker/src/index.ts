export { readWorkerConfig, type WorkerConfig } from './config.js';
export { newWorkerCounts, type WorkerCounts } from './counts.js';
export { DUE_AFTER_MS, StalledImports, resendStalledImports } from './stalled-imports.js';
export { type AnchorsConfig, HourlyAnchors } from './hourly-anchors.js';
export {
  newInvitationCounts,
  type InvitationCounts,
  recordInvitation,
  runInvitations,
} from './invitations/run-invitations.js';
export { AGAIN_AFTER_MS, DueInvitations, LOOK_EVERY_MS, runDueInvitations } from './invitations/due-loop.js';
export { observedRunner, runWorker, startWorker } from './start-worker.js';
export { startWebhooks } from './start-webhooks.js';
export { runWebhooks } from './webhooks/run-webhooks.js';
export {
  invitationReport,
  type InvitationReport,
  startInvitations,
  type StartInvitationsOptions,
} from './start-invitations.js';
export { settlementOf, type DeliveryEnd, type Settlement } from './settlement.js';
