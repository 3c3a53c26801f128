export { invitationDue, invitationDuePlanner } from './invitation-due.js';
