import type { CallContext, InvitationTemplateSet, Language } from '@rollcall/contracts';
import { templates } from '@rollcall/domain';
import { decideAndAppend, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { foldStream, type Fold } from '../event-store/load-state.js';
import { eventNamed } from '../event-store/loaded-event.js';
import type { EventReader } from '../ports/event-log.js';

const streamOf = (companyId: number): string => `company-${companyId}`;

/** Reads settings and mails only. */
const templatesFold: Fold<templates.TemplatesState> = {
  initial: templates.initialState,
  evolve: async (state, event) => {
    const happened = await eventNamed(event, ['CompanyConfigured', 'InvitationTemplateSet']);
    return happened ? templates.evolve(state, happened) : state;
  },
  touches: ({ name }) => name === 'CompanyConfigured' || name === 'InvitationTemplateSet',
};

type TemplateSet =
  | { readonly kind: 'set'; readonly changed: boolean; readonly template: InvitationTemplateSet }
  | { readonly kind: 'refused'; readonly rejection: templates.TemplateRejection };

/** `changed` is false where the mail was in force already. */
export async function setInvitationTemplate(
  deps: DecideAndAppendDeps,
  context: CallContext,
  { companyId, ...command }: templates.SetTemplate & { readonly companyId: number },
): Promise<TemplateSet> {
  const outcome = await decideAndAppend<templates.TemplatesState, templates.TemplateRejection>(deps, {
    stream: streamOf(companyId),
    context,
    fold: templatesFold,
    decide: (state) => templates.decide(command, state),
  });
  if (outcome.kind === 'refused') return { kind: 'refused', rejection: outcome.rejection };
  const template = inForce(outcome.loaded.state).find(({ language }) => language.id === command.language);
  if (!template) throw new TypeError('A template was set and is not there.');
  return { kind: 'set', changed: outcome.kind === 'appended', template: template.template };
}

export interface TemplateInForce {
  readonly language: Language;
  readonly template: InvitationTemplateSet;
  readonly isSet: boolean;
}

const inForce = ({ settings, templates: set }: templates.TemplatesState): readonly TemplateInForce[] =>
  settings.status === 'unconfigured'
    ? []
    : settings.settings.languages.map((language) => ({
        language,
        template: templates.templateInForce(language, set.get(language.id)),
        isSet: set.has(language.id),
      }));

export async function readInvitationTemplates(
  log: EventReader,
  companyId: number,
): Promise<readonly TemplateInForce[] | undefined> {
  const { state } = await foldStream(log, streamOf(companyId), templatesFold);
  return state.settings.status === 'unconfigured' ? undefined : inForce(state);
}
