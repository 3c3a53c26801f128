import { parseStoredType, type EventName } from '@rollcall/contracts';
import type { RecordedEvent } from '../ports/event-log.js';

/** `terminal-events.ts` reads each of them but `ImportCancelled`, with which no run ends. */
export const terminalEventNames = [
  'EmployeeSetReplaced',
  'EmployeeSetConfirmed',
  'ManagerRolesImported',
  'ManagerRolesConfirmed',
  'ImportFailed',
  'ImportCancelled',
] as const satisfies readonly EventName[];

/** `ImportCancelled` names the import in its data: the command that cancels is an operation of its own. */
export function endedOperation(event: RecordedEvent): string | undefined {
  const name = parseStoredType(event.type)?.name;
  if (!terminalEventNames.some((terminal) => terminal === name)) return undefined;
  return operationOf(name === 'ImportCancelled' ? event.data : event.metadata);
}

/** The operation that an event's stored metadata or data names. */
export function operationOf(json: Uint8Array): string | undefined {
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('latin1');
  return /"operationId":"(?<id>[0-9a-f-]{36})"/.exec(text)?.groups?.['id'];
}
