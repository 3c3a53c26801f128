import {
  EventLogUnavailable,
  type AppendResult,
  type EventAppender,
  type EventToAppend,
  type ExpectedRevision,
} from '../ports/event-log.js';

/**
 * Waits before an append whose outcome is unknown is repeated, in milliseconds; after the last one it is an outage. A server
 * drops a repeat that comes before it has indexed the first, and answers it seconds later: so none comes at once.
 */
const WAITS: readonly number[] = [100, 200, 400, 800];

/** Without an answer for so long nothing is repeated any more: an append to a server that hangs takes seconds by itself. */
const LONGEST_MS = 6_000;

export interface AppendDeps {
  readonly log: EventAppender;
  /** Injected in tests. */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
  /** Milliseconds from some moment on. Injected in tests. */
  readonly timer?: (() => number) | undefined;
}

/**
 * Appends; where the outcome is unknown, repeats with the same ids and the same revision, which is harmless
 * (design: "Deciding", 2). Throws `EventLogUnavailable` when the log stays away.
 */
export async function appendWithRetry(
  deps: AppendDeps,
  stream: string,
  expected: ExpectedRevision,
  events: readonly EventToAppend[],
): Promise<AppendResult> {
  const timer = deps.timer ?? (() => performance.now());
  let unanswered = 0;
  for (const wait of WAITS) {
    const begun = timer();
    try {
      return await deps.log.append(stream, expected, events);
    } catch (error) {
      if (!(error instanceof EventLogUnavailable)) throw error;
      if (!error.isAnswer) unanswered += timer() - begun;
      if (unanswered > LONGEST_MS) throw error;
      await (deps.sleep ?? pause)(wait);
    }
  }
  return deps.log.append(stream, expected, events);
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
