export type {
  CancelInvitation,
  ClaimInvitation,
  RecordDeferred,
  RecordFailed,
  RecordSent,
  ResendInvitation,
  ServerProblem,
  SendConditions,
} from './commands.js';
export {
  cancel,
  type CancelInvitationDecision,
  type ClaimDecision,
  type ClaimObstacle,
  decideClaim,
  resend,
  type ResendDecision,
} from './decide.js';
export { evolve, type InvitationEvent } from './evolve.js';
export { hold, type HoldDecision, type HoldInvitations, release } from './hold.js';
export { localMoment, nextLocalTime } from './local-moments.js';
export { recordDeferred, type RecordDecision, recordFailed, recordSent } from './record.js';
export type { InvitationRejection } from './rejections.js';
export { serverText } from './server-text.js';
export {
  initialState,
  invitationOf,
  type InvitationProgress,
  type InvitationState,
  invitationStream,
  wakeMoment,
} from './state.js';
