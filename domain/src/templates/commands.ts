import type { InvitationTemplateSet } from '@rollcall/contracts';

/** Sets what it names of one language's template; the rest stays, or is the default's where none was set before. */
export interface SetTemplate {
  /** The id of one of the company's languages. */
  readonly language: number;
  readonly changes: Partial<Omit<InvitationTemplateSet, 'language'>>;
}
