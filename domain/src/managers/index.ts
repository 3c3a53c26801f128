export type { ImportManagerRoles } from './commands.js';
export {
  decide,
  type ManagerImportDecision,
  type ManagerImportState,
  type ManagerRolesEvent,
} from './decide.js';
export { evolve } from './evolve.js';
export { type ManagerImportReading, readManagerImport, type SentManagerImport } from './read-import.js';
export {
  ignoredFields,
  type ManagerImportRehearsal,
  type ManagerRehearsalResult,
  rehearse,
} from './rehearse.js';
export { type ManagerImportRejection, refusalText, rejectionTexts } from './rejections.js';
export { type ManagerImportCounts, resultText } from './result-text.js';
export {
  decodeState,
  type EncodedManagerRoles,
  encodeState,
  initialState,
  type ManagerRole,
  type ManagerRolesState,
  type PortalUser,
  stateBytes,
} from './state.js';
export { type ManagerImport, type ManagerImportValidation, validate } from './validate.js';
export {
  type LaterRoles,
  type ManagerRolesUndo,
  type RolesPair,
  undoManagerRoles,
  type UndoManagerRoles,
} from './undo.js';
