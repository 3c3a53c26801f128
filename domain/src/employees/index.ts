export {
  type ReplaceEmployeeSet,
  decideEmployeeSet,
  type EmployeeSetDecision,
  type EmployeeSetState,
  isLastBody,
  type EmployeeSetRejection,
  rejectionTexts,
  employeesOutcome,
  passedBatchLimit,
  isPresent,
  numberWithId,
  valuesInForce,
} from './decide.js';
export { emailDigest, type KnownEmail, type KnownEmails, valuesDigestAt } from './renames.js';
export { noBodySha256, type SetPair, touchedBy, undoEmployeeSet, undoneSource } from './undo.js';
