import { setImmediate } from 'node:timers/promises';
import type { EmployeeSetSummary, EventName } from '@rollcall/contracts';
import {
  afterApproved,
  afterEmployeeSet,
  afterGivenUp,
  afterHeld,
  afterHold,
  afterManagerRoles,
  afterQueued,
  companies,
  type CompanyState,
  initialCompanyState,
} from '@rollcall/domain';
import type { Digester } from '@rollcall/employee-lists';
import {
  type EmployeeSet,
  EmployeeSetBuilder,
  SetEventParser,
  MisshapenSet,
  readSetElement,
  SetMismatch,
} from '@rollcall/employee-lists/set';
import type { Fold } from '../event-store/load-state.js';
import { eventData, type LoadedEvent } from '../event-store/loaded-event.js';
import { LogCorrupt } from '../ports/event-log.js';

export const companyFold = (digester: Digester): Fold<CompanyState> => ({
  initial: initialCompanyState,
  evolve: (state, event) => steps[event.name]?.(state, event, digester) ?? state,
});

type Step = (state: CompanyState, event: LoadedEvent, digester: Digester) => Promise<CompanyState>;

/** Other events of the stream do not affect decisions. */
const steps: { readonly [N in EventName]?: Step } = {
  CompanyConfigured: async (state, event) => {
    const data = await eventData(event, 'CompanyConfigured');
    return { ...state, settings: companies.evolve(state.settings, { name: 'CompanyConfigured', data }) };
  },
  EmployeeSetConfirmed: async (state, event) =>
    afterEmployeeSet(state, await eventData(event, 'EmployeeSetConfirmed'), state.employees, event),
  EmployeeSetReplaced: async (state, event, digester) => {
    const { summary, employees } = await fitting(event, () => replaced(state.employees, event, digester));
    return afterEmployeeSet(state, summary, employees, event);
  },
  ManagerRolesConfirmed: async (state, event) => {
    const data = await eventData(event, 'ManagerRolesConfirmed');
    return afterManagerRoles(state, { name: 'ManagerRolesConfirmed', data }, event);
  },
  ManagerRolesImported: async (state, event) => {
    const data = await eventData(event, 'ManagerRolesImported');
    return fitting(event, () => afterManagerRoles(state, { name: 'ManagerRolesImported', data }, event));
  },
  ImportQueued: async (state, event) => afterQueued(state, await eventData(event, 'ImportQueued'), event),
  ImportFailed: async (state, event) =>
    afterGivenUp(state, (await eventData(event, 'ImportFailed')).operationId),
  ImportCancelled: async (state, event) =>
    afterGivenUp(state, (await eventData(event, 'ImportCancelled')).operationId),
  ImportRejected: async (state, event) =>
    afterGivenUp(state, (await eventData(event, 'ImportRejected')).operationId),
  ImportHeld: async (state, event) => afterHeld(state, await eventData(event, 'ImportHeld'), event),
  ImportApproved: async (state, event) =>
    afterApproved(state, (await eventData(event, 'ImportApproved')).operationId),
  InvitationsHeld: (state) => Promise.resolve(afterHold(state, true)),
  InvitationsReleased: (state) => Promise.resolve(afterHold(state, false)),
};

/** `LogCorrupt` where an event does not fit the set before it. */
async function fitting<T>(event: LoadedEvent, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof MisshapenSet || error instanceof SetMismatch)) throw error;
    throw new LogCorrupt(`The event at revision ${event.revision} of ${event.stream}: ${error.message}`);
  }
}

interface Replaced {
  readonly summary: EmployeeSetSummary;
  readonly employees: EmployeeSet;
}

async function replaced(before: EmployeeSet, event: LoadedEvent, digester: Digester): Promise<Replaced> {
  const builder = new EmployeeSetBuilder(before, digester);
  const parser = new SetEventParser((kind, bytes, start) => {
    builder.apply(readSetElement(kind, bytes, start));
  });
  if (event.inline) parser.push(event.inline.text);
  else
    for await (const chunk of event.chunks()) {
      parser.push(chunk);
      // A chunk takes some milliseconds: yields to the event loop.
      await setImmediate();
    }
  const summary = parser.finish();
  const employees = builder.finish();
  if (employees.setDigest !== summary.setDigest || employees.count !== summary.total) {
    throw new SetMismatch('the set after the event is not the one that it tells');
  }
  return { summary, employees };
}
