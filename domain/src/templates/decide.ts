import type { DomainEventOf, InvitationTemplateSet } from '@rollcall/contracts';
import { templateProblems, type TemplateRejection } from './check.js';
import { templateInForce } from './defaults.js';
import type { TemplatesState } from './evolve.js';
import { type Decision, refused } from '../decision.js';

/** Unnamed parts stay, or are the default's. */
export interface SetTemplate {
  readonly language: number;
  readonly changes: Partial<Omit<InvitationTemplateSet, 'language'>>;
}

type TemplateDecision = Decision<readonly DomainEventOf<'InvitationTemplateSet'>[], TemplateRejection>;

/** No event where nothing changes. */
export function decide({ language: id, changes }: SetTemplate, state: TemplatesState): TemplateDecision {
  const { settings, templates } = state;
  if (settings.status === 'unconfigured') return refused({ reason: 'company-unknown' });
  const { languages } = settings.settings;
  const language = languages.find((each) => each.id === id);
  if (!language) return refused({ reason: 'language-unknown', languages });
  const before = templateInForce(language, templates.get(id));
  const data = { ...before, ...changes };
  const problems = templateProblems(data);
  if (problems.length > 0) return refused({ reason: 'template-invalid', problems });
  if (JSON.stringify(data) === JSON.stringify(before)) return { kind: 'nothing' };
  return { kind: 'events', events: [{ name: 'InvitationTemplateSet', data }] };
}
