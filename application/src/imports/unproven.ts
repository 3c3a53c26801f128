import type { ProofProblem } from '@rollcall/employee-lists';

/** Why a queued body is read again. */
export type UnprovenReason = ProofProblem | 'missing';
