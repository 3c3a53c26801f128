export type { ReplaceEmployeeSet } from './commands.js';
export { decideEmployeeSet, type EmployeeSetDecision, type EmployeeSetState, isLastBody } from './decide.js';
export { employeesOutcome } from './outcome.js';
export { passedBatchLimit } from './batch-limit.js';
export { type EmployeeSetRejection, rejectionTexts } from './rejections.js';
export { emailDigest, type KnownEmail, type KnownEmails, valuesDigestAt } from './renames.js';
export { isPresent, numberWithId, valuesInForce } from './presence.js';
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
