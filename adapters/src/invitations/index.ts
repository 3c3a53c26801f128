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
<<<<<<< HEAD
export {
  cancelInvitation,
  holdInvitations,
  type ManagedInvitation,
  type ManagedInvitations,
  type ManageInvitationsDeps,
  resendInvitation,
} from './manage-invitations.js';
=======
export * from './links.js';
export * from './message-ids.js';
>>>>>>> 66c4bb5 (feat(worker): send invitations that are due)
