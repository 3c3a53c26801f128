export type SurveyRejection =
  /** Each problem names its path and the rule. */
  { readonly kind: 'invalid'; readonly problems: readonly string[] } | { readonly kind: 'unknown-survey' };
