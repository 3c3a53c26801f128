export {
  type ImportManagerRoles,
  decide,
  type ManagerImportRejection,
  refusalText,
  type ManagerImportCounts,
  resultText,
  ignoredFields,
  rehearse,
} from './decide.js';
export {
  type ManagerRolesEvent,
  evolve,
  decodeState,
  type EncodedManagerRoles,
  encodeState,
  initialState,
  type ManagerRolesState,
  stateBytes,
} from './evolve.js';
export { type ManagerImportReading, readManagerImport, validate } from './read-import.js';
export { namesDigest } from './plan.js';
export { namesIn, undoManagerRoles } from './undo.js';
