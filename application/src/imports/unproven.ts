import type { ProofProblem } from '@rollcall/domain';

/** Why a queued body is read once more. */
export type UnprovenReason = ProofProblem | 'missing';
