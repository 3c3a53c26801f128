import type { EventReader, ReadOptions, RecordedEvent } from '../ports/event-log.js';
import { shareOutage } from './outage.js';
import { OutageRetry, type RetryDeps } from './outage-retry.js';

/** Other failures of a read throw at once. */
const ELECTIONS_ONLY = { briefMs: 0 };

/** The same log; reads that an election interrupts are continued. */
export function readsWithRetry<L extends EventReader>(log: L, deps?: RetryDeps): L {
  const retrying: Pick<EventReader, 'readStream' | 'readLast'> = {
    readStream: (stream, options) => readWithRetry(log, stream, { options, deps }),
    readLast: async (stream) => {
      const retry = new OutageRetry(log, { ...deps, ...ELECTIONS_ONLY });
      for (;;)
        try {
          const last = await log.readLast(stream);
          retry.answered();
          return last;
        } catch (error) {
          await retry.after(error);
        }
    },
  };
  return shareOutage({ ...log, ...retrying }, log);
}

interface RetriedRead {
  readonly options: ReadOptions | undefined;
  readonly deps: RetryDeps | undefined;
}

async function* readWithRetry(
  log: EventReader,
  stream: string,
  { options = {}, deps }: RetriedRead,
): AsyncGenerator<RecordedEvent> {
  const retry = new OutageRetry(log, { ...deps, ...ELECTIONS_ONLY });
  let rest = options;
  for (;;)
    try {
      for await (const event of log.readStream(stream, rest)) {
        retry.answered();
        rest = restAfter(event, rest);
        yield event;
      }
      retry.answered();
      return;
    } catch (error) {
      if (rest.limit === 0 || (rest.from ?? 0) < 0) return;
      await retry.after(error);
    }
}

function restAfter({ revision }: RecordedEvent, rest: ReadOptions): ReadOptions {
  const from = rest.backwards === true ? revision - 1 : revision + 1;
  return { ...rest, from, seen: false, ...(rest.limit === undefined ? {} : { limit: rest.limit - 1 }) };
}
