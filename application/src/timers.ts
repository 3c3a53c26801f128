import { setTimeout as wait } from 'node:timers/promises';

/** Runs a task again and again, `ms` after its last end; the answer stops it. The task must not reject. */
export type Every = (ms: number, task: () => Promise<void>) => () => void;

export const everyByTimer: Every = (ms, task) => {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const again = (): void => {
    if (stopped) return;
    timer = setTimeout(() => void task().finally(again), ms);
    timer.unref();
  };
  again();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
};

/** Resolves after so many milliseconds, or at once when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export const sleep: Sleep = async (ms, signal) => {
  try {
    await wait(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};

/** Delays that double from `firstMs` to `lastMs`: after the `attempt`th failure, counted from 1. */
export const growingDelay = (attempt: number, firstMs: number, lastMs: number): number =>
  Math.min(firstMs * 2 ** (attempt - 1), lastMs);
