import type { InvitationTemplateSet } from '@rollcall/contracts';

/** Unnamed parts stay, or are the default's. */
export interface SetTemplate {
  readonly language: number;
  readonly changes: Partial<Omit<InvitationTemplateSet, 'language'>>;
}
