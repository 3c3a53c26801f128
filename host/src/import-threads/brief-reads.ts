import { importLimits, stagedReference, type EventLog, type RecordedEvent } from '@rollcall/application';
import { damageFinder } from '../event-log/guarded-log.js';

const { events: mostEvents, bytes: mostBytes } = importLimits.foldedOnLoop;

/** Too much to read on the event loop: a thread has to do it. */
export class TooMuchToRead extends Error {
  override readonly name = 'TooMuchToRead';
}

/** The same log; reads of many events or bytes end with `TooMuchToRead`. */
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
  let [count, bytes] = [0, 0];
  for await (const event of events) {
    count += 1;
    bytes += event.data.byteLength;
    if (count > mostEvents || bytes > mostBytes || stagedReference(event.data) !== undefined)
      throw new TooMuchToRead();
    yield event;
  }
}
