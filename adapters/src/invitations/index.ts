export {
  type HoldDocument,
  invitationCollections,
  type PlanDocument,
  type ProgressDocument,
  type TimerDocument,
} from './documents.js';
export { invitationFold } from './invitation-fold.js';
export {
  type InvitationQuery,
  readHeld,
  readInvitation,
  readInvitations,
  readPlan,
} from './read-invitations.js';
export * from './links.js';
export {
  cancelInvitation,
  holdInvitations,
  type ManagedInvitation,
  type ManagedInvitations,
  type ManageInvitationsDeps,
  resendInvitation,
} from './manage-invitations.js';
export * from './message-ids.js';
