import type { EventReader, EventSubscriber, Position, RecordedEvent } from '../ports/event-log.js';
import { chunkStreams } from './staged-data.js';

/** The first event of a stream from a revision on. */
export async function eventAt(
  log: Pick<EventReader, 'readStream'>,
  stream: string,
  from = 0,
): Promise<RecordedEvent | undefined> {
  for await (const event of log.readStream(stream, { from, limit: 1 })) return event;
  return undefined;
}

/** The events after a position, without chunks, to the log's end. Throws where the signal aborts before. */
export async function* eventsToEnd(
  log: Pick<EventSubscriber, 'subscribeToAll'>,
  after: Position | undefined,
  signal: AbortSignal = new AbortController().signal,
): AsyncGenerator<RecordedEvent> {
  for await (const item of log.subscribeToAll({ after, withoutStreams: chunkStreams, signal })) {
    if (item.kind === 'caught-up') return;
    yield item.event;
  }
  throw new Error('the log did not come to its end in time');
}
