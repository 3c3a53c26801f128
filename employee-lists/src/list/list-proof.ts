import { type Digester, digestVersion } from './digests.js';
import type { BodyBytes, EmployeeList } from './list-builder.js';

export interface ProofSubject {
  /** The version of the rules by which the body was read. */
  readonly rules: string;
  readonly bodySha256: string;
  readonly count: number;
  readonly digester: Digester;
}

export type ProofProblem = 'other-rules' | 'misfit';

const macBytes = 32;
const rulesBytes = 32;
/** Bounds, both digests and two flags. */
const elementBytes = 8 + 16 + 16 + 1 + 1;

export const proofBytes = (count: number): number => macBytes + rulesBytes + count * elementBytes;

/**
 * The result of reading a valid body, so that it is never read again. An HMAC with the installation's key binds the proof to
 * the body, the rules and its own bytes. It contains no text of the body.
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

/** The list of a proven body; its text is not read. The proof must start its memory and never change. */
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
