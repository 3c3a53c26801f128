import { parseStoredType, type EventName } from '@rollcall/contracts';
import type { RecordedEvent } from '../ports/event-log.js';

const ENDS: readonly EventName[] = [
  'EmployeeSetReplaced',
  'EmployeeSetConfirmed',
  'ManagerRolesImported',
  'ManagerRolesConfirmed',
  'ImportFailed',
  'ImportCancelled',
];

/** `ImportCancelled` names the import in its data: the command that cancels is an operation of its own. */
export function endedOperation(event: RecordedEvent): string | undefined {
  const name = parseStoredType(event.type)?.name;
  if (name === undefined || !ENDS.includes(name)) return undefined;
  return operationOf(name === 'ImportCancelled' ? event.data : event.metadata);
}

/** The operation that an event's stored metadata or data names. */
export function operationOf(json: Uint8Array): string | undefined {
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('latin1');
  return /"operationId":"(?<id>[0-9a-f-]{36})"/.exec(text)?.groups?.['id'];
}
