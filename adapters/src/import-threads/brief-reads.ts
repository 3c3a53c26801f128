import { stagedReference, type EventLog, type RecordedEvent } from '@rollcall/application';
import { damageFinder } from '../host/guarded-log.js';

/** More events than these, or a larger one, would hold an event loop up for more than some milliseconds. */
const mostEvents = 64;
const mostEventBytes = 64 * 1024;

/** There is more to read than an event loop has the time for: it is the work of a thread. */
export class TooMuchToRead extends Error {
  override readonly name = 'TooMuchToRead';
}

/** The same log, whose reads of a stream end with `TooMuchToRead` where they give many events or a large one. */
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
  data.byteLength > mostEventBytes || stagedReference(data) !== undefined;
