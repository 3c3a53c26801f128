import type { Language } from '@rollcall/contracts';

export interface TemplateProblem {
  readonly part: 'subject' | 'text' | 'html' | 'sender';
  readonly problem: string;
}

export type TemplateRejection =
  | { readonly reason: 'company-unknown' }
  /** The company has other languages, or none yet. */
  | { readonly reason: 'language-unknown'; readonly languages: readonly Language[] }
  | { readonly reason: 'template-invalid'; readonly problems: readonly TemplateProblem[] };
