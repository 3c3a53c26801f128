import type { CallContext, CompanySettings } from '@rollcall/contracts';
import { companies, type CompanySettingsState } from '@rollcall/domain';
import { decideAndAppend, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import type { LoadedEvent } from '../event-store/loaded-event.js';
import { foldStream, type Fold } from '../event-store/load-state.js';
import {
  damagedStreams,
  LogCorrupt,
  type DamageFinder,
  type EventReader,
  type StreamAdmin,
} from '../ports/event-log.js';

const streamPrefix = 'company-';
const streamOf = (companyId: number): string => `${streamPrefix}${companyId}`;

const companySettingsFold: Fold<CompanySettingsState> = {
  initial: companies.initialState,
  evolve: async (state, event) => {
    if (event.name !== 'CompanyConfigured') return state;
    return companies.evolve(state, { name: event.name, data: await event.data('CompanyConfigured') });
  },
  touches: (event) => event.name === 'CompanyConfigured',
};

type Configured =
  | { readonly kind: 'configured'; readonly changed: boolean; readonly settings: CompanySettings }
  | { readonly kind: 'refused'; readonly rejection: companies.CompanyRejection };

/** `changed` is false where every setting was in force already. */
export async function configureCompany(
  deps: DecideAndAppendDeps,
  context: CallContext,
  command: companies.ConfigureCompany,
): Promise<Configured> {
  const outcome = await decideAndAppend<CompanySettingsState, companies.CompanyRejection>(deps, {
    stream: streamOf(command.companyId),
    context,
    fold: companySettingsFold,
    decide: (state) => companies.decide(command, state),
  });
  if (outcome.kind === 'refused') return { kind: 'refused', rejection: outcome.rejection };
  const { state } = outcome.loaded;
  if (state.status !== 'configured') throw new TypeError('A company was configured and is not.');
  return { kind: 'configured', changed: outcome.kind === 'appended', settings: state.settings };
}

export async function readCompanySettings(
  log: EventReader,
  companyId: number,
): Promise<CompanySettingsState> {
  return (await foldStream(log, streamOf(companyId), companySettingsFold)).state;
}

/** Whether imports of the company have ever been allowed. */
export async function wasIntegrationOn(log: EventReader, companyId: number): Promise<boolean> {
  const evolve = async (wasOn: boolean, event: LoadedEvent): Promise<boolean> =>
    wasOn ||
    (event.name === 'CompanyConfigured' &&
      (await event.data('CompanyConfigured')).settings.integrationEnabled);
  return (await foldStream(log, streamOf(companyId), { initial: () => false, evolve })).state;
}

/** Configured companies by id; a damaged or deleted one hides no other. */
export async function readCompanies(log: EventReader & StreamAdmin & DamageFinder) {
  const configured = [];
  const broken = new Map<string, string>();
  for await (const { stream } of log.listStreams(streamPrefix)) {
    try {
      const { state } = await foldStream(log, stream, companySettingsFold);
      if (state.status === 'configured') configured.push(state);
    } catch (error) {
      if (!(error instanceof LogCorrupt)) throw error;
      broken.set(stream, error.message);
    }
  }
  for (const [stream, problem] of await damagedStreams(log, streamPrefix)) broken.set(stream, problem);
  return {
    configured: configured.sort((one, other) => one.companyId - other.companyId),
    broken: [...broken].map(([stream, problem]) => ({ stream, problem })),
  };
}
