export type { ReplaceEmployeeSet } from './commands.js';
export { decideEmployeeSet, type EmployeeSetDecision, type EmployeeSetState, isLastBody } from './decide.js';
export { diffEmployees, type EmployeeSetChange } from './diff.js';
export { Digester, digestKeyBytes, digestVersion } from './digests.js';
export { readEmployeeList } from './employee-list.js';
export {
  type EmployeeListCheck,
  EmployeeListReader,
  type EmployeeListReading,
  type OnUnsettled,
  type UnsettledReason,
} from './list-reader.js';
export type { BodyBytes, EmployeeList } from './list-builder.js';
export { type EntryRows, readEntryRows } from './entry-rows.js';
export { mirroredFields } from './fields.js';
export { ignoredFields, readEmployeeIdOf } from './list-elements.js';
export { listProof, proofBytes, type ProofProblem, type ProofSubject, provenList } from './list-proof.js';
export { batchLimitFrom, exceedsBatchLimit } from './batch-limit.js';
export { type EmployeeSetRejection, rejectionTexts } from './rejections.js';
export {
  SetEventParser,
  type FullElement,
  MisshapenSet,
  readFullElement,
  readSetElement,
  readSetSummary,
} from './set-decoder.js';
export {
  type EmployeeSet,
  EmployeeSetBuilder,
  emptySet,
  type EntryDigests,
  hasSoundDigest,
  SetMismatch,
} from './set-state.js';
export { dimensionsText } from './values.js';
export { isPresent, valuesInForce } from './presence.js';
