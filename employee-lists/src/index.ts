/** Reads employees from a body: elements, digests, and proofs of a list. */

export { DigestTable, Digester, digestKeyBytes, digestVersion, toHex } from './list/digests.js';
export * from './release-memory.js';
export {
  mirroredFields,
  isComplete,
  readEmployee,
  canonicalBytes,
  dimensionsText,
  valuesText,
  withoutInvitationDate,
} from './list/read-employee.js';
export type { EmployeeList } from './list/list-builder.js';
export { readValuesOf } from './list/held-elements.js';
export { listProof, proofBytes, type ProofProblem, provenList } from './list/list-proof.js';
export * from './list/list-reader.js';
