import { randomUUID } from 'node:crypto';
import { chainOf, type EventLog, type RecordedEvent, storedChain, withChain } from '@rollcall/application';
import { context, survey } from './projector.support.js';

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

/** Appends an event whose chain value is right, whatever else is wrong with it. */
export async function forge(
  log: EventLog,
  stream: string,
  change: { type?: string; data?: object; recordedAt?: string },
): Promise<void> {
  const { type = 'SurveyCreated', recordedAt = '2030-01-01T00:00:00.000Z' } = change;
  const last = await log.readLast(stream);
  const previous = last && storedChain(last.metadata);
  if (last === undefined || previous === undefined) throw new Error('nothing to go behind');
  const id = randomUUID();
  const data = Buffer.from(JSON.stringify(change.data ?? survey(1, 'Forged').data));
  const metadata = JSON.stringify({ ...context(), recordedAt });
  const chain = chainOf(previous, { stream, revision: last.revision + 1, id, type, data, metadata });
  const event = {
    id,
    type,
    contentType: 'json',
    data,
    metadata: Buffer.from(withChain(metadata, chain)),
  } as const;
  await log.append(stream, last.revision, [event]);
}
