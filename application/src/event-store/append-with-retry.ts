import {
  EventLogUnavailable,
  type AppendResult,
  type EventAppender,
  type EventToAppend,
  type ExpectedRevision,
} from '../ports/event-log.js';

/** Waits before an append whose outcome is unknown is repeated, in milliseconds; after the last one it is an outage. */
const WAITS: readonly number[] = [20, 50, 100, 200, 400];

/** After so long nothing is repeated any more: an append to a server that hangs takes seconds by itself. */
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
  const begun = timer();
  for (const wait of WAITS) {
    try {
      return await deps.log.append(stream, expected, events);
    } catch (error) {
      if (!(error instanceof EventLogUnavailable) || timer() - begun > LONGEST_MS) throw error;
      await (deps.sleep ?? pause)(wait);
    }
  }
  return deps.log.append(stream, expected, events);
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
