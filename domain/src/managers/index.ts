export {
  type ImportManagerRoles,
  decide,
  type ManagerImportDecision,
  type ManagerImportState,
  type ManagerImportRejection,
  refusalText,
  rejectionTexts,
  type ManagerImportCounts,
  resultText,
  ignoredFields,
  type ManagerImportRehearsal,
  type ManagerRehearsalResult,
  rehearse,
} from './decide.js';
export {
  type ManagerRolesEvent,
  evolve,
  decodeState,
  type EncodedManagerRoles,
  encodeState,
  initialState,
  type ManagerRole,
  type ManagerRolesState,
  type PortalUser,
  stateBytes,
} from './evolve.js';
export {
  type ManagerImportReading,
  readManagerImport,
  type SentManagerImport,
  type ManagerImport,
  type ManagerImportValidation,
  validate,
} from './read-import.js';
export { namesDigest } from './plan.js';
export {
  type LaterRoles,
  type ManagerRolesUndo,
  namesIn,
  type RolesPair,
  undoManagerRoles,
  type UndoManagerRoles,
} from './undo.js';
