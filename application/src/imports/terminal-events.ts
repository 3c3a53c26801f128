import { asBuffer } from '../event-store/linked-events.js';
import { type EventName, type ImportFailed, parseStoredType } from '@rollcall/contracts';
import { type ImportCounts, managerCounts } from '@rollcall/domain';
import { readSetSummary } from '@rollcall/employee-lists/set';
import type { LoadedEvent } from '../event-store/loaded-event.js';
import type { RecordedEvent } from '../ports/event-log.js';

/** What a stored event says; `ImportOutcome` and `RunResult` are made from it. */
type TerminalEvent =
  | { readonly kind: 'done'; readonly counts: ImportCounts }
  | { readonly kind: 'failed'; readonly failure: ImportFailed };

type RunEnding = Exclude<(typeof terminalEventNames)[number], 'ImportCancelled' | 'ImportRejected'>;

const terminalEvents: Readonly<Record<RunEnding, (event: LoadedEvent) => Promise<TerminalEvent>>> = {
  EmployeeSetReplaced: async (event) => ({ kind: 'done', counts: await employeeCounts(event) }),
  EmployeeSetConfirmed: async (event) => ({ kind: 'done', counts: await employeeCounts(event) }),
  ManagerRolesImported: async (event) => ({
    kind: 'done',
    counts: managerCounts(await event.data('ManagerRolesImported')),
  }),
  ManagerRolesConfirmed: async (event) => ({
    kind: 'done',
    counts: managerCounts(await event.data('ManagerRolesConfirmed')),
  }),
  ImportFailed: async (event) => ({ kind: 'failed', failure: await event.data('ImportFailed') }),
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

const terminalEventNames = [
  'EmployeeSetReplaced',
  'EmployeeSetConfirmed',
  'ManagerRolesImported',
  'ManagerRolesConfirmed',
  'ImportFailed',
  'ImportCancelled',
  'ImportRejected',
] as const satisfies readonly EventName[];

/** Commands on imports are operations of their own, and name the import in their data. */
const commandNames: readonly EventName[] = ['ImportCancelled', 'ImportRejected', 'ImportApproved'];

export const isCommandOnImport = (name: EventName | undefined): boolean =>
  commandNames.some((each) => each === name);

export function endedOperation(event: RecordedEvent): string | undefined {
  const name = parseStoredType(event.type)?.name;
  if (!terminalEventNames.some((terminal) => terminal === name)) return undefined;
  return operationOf(isCommandOnImport(name) ? event.data : event.metadata);
}

/** The operation that an event's stored metadata or data names. */
export function operationOf(json: Uint8Array): string | undefined {
  const text = asBuffer(json).toString('latin1');
  return /"operationId":"(?<id>[0-9a-f-]{36})"/.exec(text)?.groups?.['id'];
}

/** Who cancels a held import for want of a decision: no user, as those have another kind of name. */
export const expiredBy = {
  userId: null,
  username: 'system',
  reason: 'nobody decided within 7 days',
} as const;

/** Of an `ImportCancelled`. */
export const isExpired = ({ username }: { readonly username: string }): boolean =>
  username === expiredBy.username;
