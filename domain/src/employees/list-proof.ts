import { type Digester, digestVersion } from './digests.js';
import type { BodyBytes, EmployeeList } from './list-builder.js';

/** What a proof speaks of. */
export interface ProofSubject {
  /** The version of the rules by which the body was read, whatever is part of it. */
  readonly rules: string;
  /** Hex. */
  readonly bodySha256: string;
  /** Elements of the body. */
  readonly count: number;
  readonly digester: Digester;
}

/** Why a proof settles nothing. */
export type ProofProblem = 'other-rules' | 'misfit';

const macBytes = 32;
const rulesBytes = 32;
/** Bounds, both digests and two flags. */
const elementBytes = 8 + 16 + 16 + 1 + 1;

/** How long the proof for so many elements is, in bytes. */
export const proofBytes = (count: number): number => macBytes + rulesBytes + count * elementBytes;

/**
 * What reading a valid body came to, so that nobody has to read it again: keyed, so that only the installation can have written it,
 * and bound to the body, to the rules and to every byte of itself. In pieces; of the texts of a body it holds none.
 */
export function listProof(list: EmployeeList, subject: ProofSubject): readonly Uint8Array[] {
  const { count } = list;
  const rules = rulesOf(subject);
  const columns = [
    bytesOf(list.bounds.subarray(0, count * 2)),
    bytesOf(list.ids.subarray(0, count * 4)),
    bytesOf(list.digests.subarray(0, count * 4)),
    list.plain.subarray(0, count),
    list.withUnknown.subarray(0, count),
  ];
  return [macOf(subject, columns), rules, ...columns];
}

/**
 * The list of a body that was proved to be valid, without a look at its text, which `bytes` gives. The proof is to lie at
 * the beginning of its memory, and may not be changed any more.
 */
export function provenList(
  proof: Uint8Array<ArrayBuffer>,
  subject: ProofSubject,
  bytes: BodyBytes,
): EmployeeList | ProofProblem {
  const { count } = subject;
  if (proof.length < macBytes + rulesBytes) return 'misfit';
  const [mac, rules, records] = [proof.subarray(0, 32), proof.subarray(32, 64), proof.subarray(64)];
  if (!rulesOf(subject).equals(rules)) return 'other-rules';
  if (proof.length !== proofBytes(count) || !macOf(subject, [records]).equals(mac)) return 'misfit';
  const words = (at: number, length: number): Uint32Array =>
    new Uint32Array(records.buffer, records.byteOffset + at * count, length * count);
  return {
    bytes,
    count,
    bounds: words(0, 2),
    ids: words(8, 4),
    digests: words(24, 4),
    plain: records.subarray(40 * count, 41 * count),
    withUnknown: records.subarray(41 * count),
  };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

const rulesOf = ({ rules, digester }: ProofSubject): Buffer => digester.proofOf(rules, []);

const macOf = (subject: ProofSubject, records: readonly Uint8Array[]): Buffer => {
  const { rules, bodySha256, count, digester } = subject;
  return digester.proofOf(JSON.stringify([rules, digestVersion, bodySha256, count]), records);
};
