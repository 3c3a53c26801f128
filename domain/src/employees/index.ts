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
export {
  type EmployeeSetUndo,
  noBodySha256,
  type SetNumbers,
  type SetPair,
  touchedBy,
  type TouchedEmployee,
  undoEmployeeSet,
  type UndoEmployeeSet,
  undoneSource,
} from './undo.js';
