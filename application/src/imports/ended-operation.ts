import { parseStoredType, type EventName } from '@rollcall/contracts';
import type { RecordedEvent } from '../ports/event-log.js';

/** `terminal-events.ts` reads each of them with which a run ends. */
export const terminalEventNames = [
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
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('latin1');
  return /"operationId":"(?<id>[0-9a-f-]{36})"/.exec(text)?.groups?.['id'];
}
