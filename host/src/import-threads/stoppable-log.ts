import { RunStopped, type EventLog } from '@rollcall/application';
import { damageFinder } from '../event-log/guarded-log.js';

/** The same log; after the stop it throws `RunStopped`, except on operation streams, which can still be written. */
export function stoppableLog(log: EventLog, isStopped: () => boolean): EventLog {
  const goOn = (stream: string): void => {
    if (isStopped() && !stream.startsWith('operation-')) throw new RunStopped();
  };
  return {
    ...damageFinder(log),
    maxAppendBytes: log.maxAppendBytes,
    append: async (stream, ...given) => {
      goOn(stream);
      return log.append(stream, ...given);
    },
    readStream: async function* (stream, options) {
      goOn(stream);
      for await (const event of log.readStream(stream, options)) {
        goOn(stream);
        yield event;
      }
    },
    readLast: async (stream) => {
      goOn(stream);
      return log.readLast(stream);
    },
    lastPosition: (options) => log.lastPosition(options),
    subscribeToAll: (options) => log.subscribeToAll(options),
    deleteStream: (stream) => log.deleteStream(stream),
    listStreams: (prefix) => log.listStreams(prefix),
    close: () => log.close(),
  };
}
