import { parseStoredType, type EventName } from '@rollcall/contracts';
import type { RecordedEvent } from '../ports/event-log.js';

/** With these an import ends, whether it was queued or not. */
const ENDS: readonly EventName[] = [
  'EmployeeSetReplaced',
  'EmployeeSetConfirmed',
  'ManagerRolesImported',
  'ManagerRolesConfirmed',
  'ImportFailed',
  'ImportCancelled',
];

/**
 * The operation of the import that ends with this event; undefined for any other event. A command that cancels is an
 * operation of its own and names the import in its data.
 */
export function endedOperation(event: RecordedEvent): string | undefined {
  const name = parseStoredType(event.type)?.name;
  if (name === undefined || !ENDS.includes(name)) return undefined;
  return operationOf(name === 'ImportCancelled' ? event.data : event.metadata);
}

/** The operation that an event's stored metadata, or its data, names; undefined where none is. */
export function operationOf(json: Uint8Array): string | undefined {
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('latin1');
  return /"operationId":"(?<id>[0-9a-f-]{36})"/.exec(text)?.groups?.['id'];
}
