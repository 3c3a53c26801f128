import { everyByTimer, type Every } from '../timers.js';
import type { RunningAttempt } from './operation-log.js';

const TICK_MS = 1_000;

/** Every so many ticks the operation's stream is looked at. */
const LOOK_TICKS = 10;

export interface WatchRunDeps {
  /** Whether the process is told to end. */
  readonly stopping?: () => boolean;
  /** Injected in tests. */
  readonly every?: Every;
}

/**
 * Records, while an attempt runs, that its start counts no more: because the process is told to end, or because the import
 * was started elsewhere as well. The answer ends the watch.
 */
export function watchRun(
  { stopping, every = everyByTimer }: WatchRunDeps,
  attempt: RunningAttempt,
): () => void {
  let ticks = 0;
  return every(TICK_MS, () => {
    ticks += 1;
    if (stopping?.()) return attempt.interrupted('stop');
    return ticks % LOOK_TICKS === 0 ? attempt.look() : Promise.resolve();
  });
}
