import { framesOf, problemOf } from '../ports/problems.js';

/** What went wrong with an attempt: what may be told of the error and, where that is only its kind, where it was thrown. */
export function attemptProblem(error: unknown): string {
  const problem = problemOf(error);
  const [frame] = framesOf(error);
  const isKindOnly = error instanceof Error && problem === error.name;
  return isKindOnly && frame !== undefined ? `${problem} ${shortened(frame)}` : problem;
}

/** The last parts of the path: where the installation lies is nobody's business. */
const shortened = (frame: string): string =>
  `at ${frame.replace(/[()]/g, '').split('/').slice(-3).join('/').replace(/^at /, '')}`;
