import type { EventLog, RecordedEvent } from '@rollcall/application';

/** The same log with other events in it. */
export function tampered(
  log: EventLog,
  change: (event: RecordedEvent) => RecordedEvent | undefined,
): EventLog {
  const subscribeToAll: EventLog['subscribeToAll'] = async function* (options) {
    for await (const item of log.subscribeToAll(options)) {
      const event = item.kind === 'event' ? change(item.event) : undefined;
      if (item.kind === 'caught-up') yield item;
      else if (event !== undefined) yield { kind: 'event', event };
    }
  };
  const readStream: EventLog['readStream'] = async function* (stream, options) {
    for await (const event of log.readStream(stream, options)) {
      const changed = change(event);
      if (changed !== undefined) yield changed;
    }
  };
  return { ...log, subscribeToAll, readStream };
}

export const isAt = (event: RecordedEvent, stream: string, revision: number): boolean =>
  event.stream.startsWith(stream) && event.revision === revision;

/** The same bytes but for one, in the middle. */
export function bent(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const middle = copy.length >> 1;
  copy[middle] = (copy[middle] ?? 0) ^ 1;
  return copy;
}
