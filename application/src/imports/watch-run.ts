import { everyByTimer, type Every } from '../timers.js';
import type { RunningAttempt } from './operation-log.js';

const TICK_MS = 1_000;

const LOOK_TICKS = 10;

export interface WatchRunDeps {
  readonly stopping?: () => boolean;
  readonly every?: Every;
}

/** Records when the attempt's start stops counting: the process ends, or another one runs the import. Returns its stop. */
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
