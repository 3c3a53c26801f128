import type { CallContext, CompanySettings } from '@rollcall/contracts';
import { companies, type CompanySettingsState } from '@rollcall/domain';
import { decideAndAppend, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { foldStream, type Fold } from '../event-store/fold.js';
import { eventData } from '../event-store/loaded-event.js';
import { LogCorrupt, type EventReader, type StreamAdmin, type StreamFinding } from '../ports/event-log.js';

const streamPrefix = 'company-';
const streamOf = (companyId: number): string => `${streamPrefix}${companyId}`;

/** The settings alone: no other event of the company is looked into, so large sets are never read. */
const companySettingsFold: Fold<CompanySettingsState> = {
  initial: companies.initialState,
  evolve: async (state, event) => {
    if (event.name !== 'CompanyConfigured') return state;
    return companies.evolve(state, { name: event.name, data: await eventData(event, 'CompanyConfigured') });
  },
  touches: (event) => event.name === 'CompanyConfigured',
};

export type Configured =
  | { readonly kind: 'configured'; readonly changed: boolean; readonly settings: CompanySettings }
  | { readonly kind: 'refused'; readonly rejection: companies.CompanyRejection };

/** Configures a company, new or known; `changed` is false where everything stood so already. */
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

/** A company's settings from the log. */
export async function readCompanySettings(
  log: EventReader,
  companyId: number,
): Promise<CompanySettingsState> {
  return (await foldStream(log, streamOf(companyId), companySettingsFold)).state;
}

export interface Companies {
  readonly configured: readonly Extract<CompanySettingsState, { status: 'configured' }>[];
  /** Streams that cannot be folded, and why. */
  readonly broken: readonly Pick<StreamFinding, 'stream' | 'problem'>[];
}

/** All companies that are configured, in the order of their ids; one that is broken hides no other. */
export async function readCompanies(log: EventReader & StreamAdmin): Promise<Companies> {
  const configured = [];
  const broken: Companies['broken'][number][] = [];
  for await (const { stream } of log.listStreams(streamPrefix)) {
    try {
      const { state } = await foldStream(log, stream, companySettingsFold);
      if (state.status === 'configured') configured.push(state);
    } catch (error) {
      if (!(error instanceof LogCorrupt)) throw error;
      broken.push({ stream, problem: error.message });
    }
  }
  return { configured: configured.sort((one, other) => one.companyId - other.companyId), broken };
}
