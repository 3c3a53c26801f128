import { maxProblems } from './limits.js';

export type SurveyRejection =
  /** Path and rule. */
  { readonly kind: 'invalid'; readonly problems: readonly string[] } | { readonly kind: 'unknown-survey' };

export function invalidSurvey(problems: readonly string[]): SurveyRejection {
  const more = problems.length - maxProblems;
  const shown = more > 0 ? [...problems.slice(0, maxProblems), `... and ${more} more`] : problems;
  return { kind: 'invalid', problems: shown };
}
