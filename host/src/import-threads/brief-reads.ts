import { importLimits, stagedReference, type EventLog, type RecordedEvent } from '@rollcall/application';
import { damageFinder } from '../event-log/guarded-log.js';

const { events: mostEvents, eventBytes } = importLimits.foldedOnLoop;

/** Too much to read on the event loop: a thread has to do it. */
export class TooMuchToRead extends Error {
  override readonly name = 'TooMuchToRead';
}

/** The same log; reads of many events or a large one end with `TooMuchToRead`. */
export function briefReads(log: EventLog): EventLog {
  return {
    ...damageFinder(log),
    maxAppendBytes: log.maxAppendBytes,
    append: (...given) => log.append(...given),
    readStream: (...given) => briefly(log.readStream(...given)),
    readLast: (stream) => log.readLast(stream),
    lastPosition: (options) => log.lastPosition(options),
    subscribeToAll: (options) => log.subscribeToAll(options),
    deleteStream: (stream) => log.deleteStream(stream),
    listStreams: (prefix) => log.listStreams(prefix),
    close: () => log.close(),
  };
}

async function* briefly(events: AsyncIterable<RecordedEvent>): AsyncGenerator<RecordedEvent> {
  let count = 0;
  for await (const event of events) {
    count += 1;
    if (count > mostEvents || isLarge(event)) throw new TooMuchToRead();
    yield event;
  }
}

const isLarge = ({ data }: RecordedEvent): boolean =>
  data.byteLength > eventBytes || stagedReference(data) !== undefined;
