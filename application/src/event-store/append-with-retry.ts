import type { AppendResult, EventAppender, EventToAppend, ExpectedRevision } from '../ports/event-log.js';
import { OutageRetry, type RetryDeps } from './outage-retry.js';

export interface AppendDeps extends RetryDeps {
  readonly log: EventAppender;
}

/** Repeats an unknown outcome with the same ids and revision (design: "Deciding", 2). If it lasts: `EventLogUnavailable`. */
export async function appendWithRetry(
  deps: AppendDeps,
  stream: string,
  expected: ExpectedRevision,
  events: readonly EventToAppend[],
): Promise<AppendResult> {
  const retry = new OutageRetry(deps.log, deps);
  for (;;)
    try {
      const result = await deps.log.append(stream, expected, events);
      retry.answered();
      return result;
    } catch (error) {
      await retry.after(error);
    }
}
