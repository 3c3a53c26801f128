/** Reads employees from a body: elements, digests, and proofs of a list. */

export { DigestTable } from './list/digest-table.js';
export { Digester, digestKeyBytes, digestVersion, toHex } from './list/digests.js';
export { readEmployeeList } from './list/employee-list.js';
export { mirroredFields } from './list/fields.js';
export type { BodyBytes, EmployeeList } from './list/list-builder.js';
export { readValuesOf } from './list/list-elements.js';
export {
  listProof,
  proofBytes,
  type ProofProblem,
  type ProofSubject,
  provenList,
} from './list/list-proof.js';
export {
  type EmployeeListCheck,
  EmployeeListReader,
  type EmployeeListReading,
  type OnUnsettled,
  type UnsettledReason,
} from './list/list-reader.js';
export { isComplete, readEmployee } from './list/read-employee.js';
export { canonicalBytes, dimensionsText, valuesText, withoutInvitationDate } from './list/values.js';
