import type { EventName, ImportFailed } from '@rollcall/contracts';
import { type ImportCounts, managerCounts } from '@rollcall/domain';
import { readSetSummary } from '@rollcall/employee-lists/set';
import { eventData, type LoadedEvent } from '../event-store/loaded-event.js';
import type { terminalEventNames } from './ended-operation.js';

/** What a stored event says; `ImportOutcome` and `RunResult` are made from it. */
export type TerminalEvent =
  | { readonly kind: 'done'; readonly counts: ImportCounts }
  | { readonly kind: 'failed'; readonly failure: ImportFailed };

type ReadEvent = (event: LoadedEvent) => Promise<TerminalEvent>;

type RunEnding = Exclude<(typeof terminalEventNames)[number], 'ImportCancelled' | 'ImportRejected'>;

const terminalEvents: Readonly<Record<RunEnding, ReadEvent>> = {
  EmployeeSetReplaced: async (event) => ({ kind: 'done', counts: await employeeCounts(event) }),
  EmployeeSetConfirmed: async (event) => ({ kind: 'done', counts: await employeeCounts(event) }),
  ManagerRolesImported: async (event) => ({
    kind: 'done',
    counts: managerCounts(await eventData(event, 'ManagerRolesImported')),
  }),
  ManagerRolesConfirmed: async (event) => ({
    kind: 'done',
    counts: managerCounts(await eventData(event, 'ManagerRolesConfirmed')),
  }),
  ImportFailed: async (event) => ({ kind: 'failed', failure: await eventData(event, 'ImportFailed') }),
};

/** Throws for an event with which no call or runner ends an import. */
export function readTerminalEvent(event: LoadedEvent): Promise<TerminalEvent> {
  if (!isRunEnding(event.name)) throw new Error(`${event.name} ends no import`);
  return terminalEvents[event.name](event);
}

const isRunEnding = (name: EventName): name is RunEnding => Object.hasOwn(terminalEvents, name);

/** Reads only the first chunk of the data, which may be large: the counts are at its beginning. */
async function employeeCounts(event: LoadedEvent): Promise<ImportCounts> {
  for await (const chunk of event.chunks()) {
    const { inserted, updated, removed } = readSetSummary(chunk);
    return { inserted, updated, removed };
  }
  throw new Error('the event of an employee synchronisation has no data');
}
