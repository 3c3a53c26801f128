import type { RecordedEvent } from '../ports/event-log.js';

export function recordedAtOf(event: RecordedEvent): number | undefined {
  const match = /"recordedAt":"(?<at>[^"]+)"/.exec(Buffer.from(event.metadata).toString());
  const at = Date.parse(match?.groups?.['at'] ?? '');
  return Number.isNaN(at) ? undefined : at;
}
