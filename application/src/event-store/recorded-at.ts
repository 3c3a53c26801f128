import type { RecordedEvent } from '../ports/event-log.js';
import { splitMetadata } from './chain.js';

export function recordedAtOf(event: RecordedEvent): number | undefined {
  const match = /"recordedAt":"(?<at>[^"]+)"/.exec(splitMetadata(event.metadata)?.metadata ?? '');
  const at = Date.parse(match?.groups?.['at'] ?? '');
  return Number.isNaN(at) ? undefined : at;
}
