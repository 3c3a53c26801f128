export { bytesOf, ByteWriter } from './byte-writer.js';
export type { ReplaceEmployeeSet } from './commands.js';
export { decideEmployeeSet, type EmployeeSetDecision, type EmployeeSetState, isLastBody } from './decide.js';
export { diffEmployees, type EmployeeSetChange } from './diff.js';
export { Digester, digestKeyBytes, digestVersion } from './digests.js';
export {
  checkEmployeeList,
  type EmployeeListCheck,
  type EmployeeListReading,
  readEmployeeList,
} from './employee-list.js';
export type { EmployeeList } from './list-builder.js';
export { ElementReader } from './element-reader.js';
export { field, mirroredFields } from './fields.js';
export { ignoredFields, readEmployeeIdOf } from './list-elements.js';
export { batchLimitFrom, exceedsBatchLimit } from './batch-limit.js';
export { type EmployeeSetRejection, rejectionTexts } from './rejections.js';
export {
  SetEventParser,
  type FullElement,
  MisshapenSet,
  readFullElement,
  readInvitationDue,
  readSetElement,
  readSetSummary,
} from './set-decoder.js';
export {
  type EmployeeSet,
  EmployeeSetBuilder,
  emptySet,
  hasSoundDigest,
  type SetElement,
  SetMismatch,
} from './set-state.js';
export { isPresent, valuesInForce } from './presence.js';
