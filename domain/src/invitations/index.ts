export {
  type CancelInvitation,
  cancel,
  type CancelInvitationDecision,
  type ClaimDecision,
  decideClaim,
  resend,
  type ResendDecision,
  type InvitationRejection,
  recordDeferred,
  type RecordDecision,
  recordFailed,
  recordSent,
  serverText,
} from './decide.js';
export {
  evolve,
  type InvitationEvent,
  invitationEventNames,
  initialState,
  invitationOf,
  type InvitationState,
  invitationStream,
  leftReason,
  wakeMoment,
} from './evolve.js';
export { hold, release } from './hold.js';
export { localMoment, nextLocalTime } from './invitation-due.js';
