import { setTimeout as wait } from 'node:timers/promises';

export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/** Repeats a task `ms` after its last end; call the result to stop. The task must not reject. */
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

/** Resolves early when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export const sleep: Sleep = async (ms, signal) => {
  try {
    await wait(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};

/** Exponential backoff: the delay after the `attempt`th failure, from 1. */
export const growingDelay = (attempt: number, firstMs: number, lastMs: number): number =>
  Math.min(firstMs * 2 ** (attempt - 1), lastMs);

const noAnswer = (ms: number): Error => new Error(`no answer within ${ms} ms`);

/** Rejects with `late` after the time; a later answer is dropped. */
export async function within<T>(answer: Promise<T>, ms: number, late = noAnswer): Promise<T> {
  if (ms === Infinity) return answer;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late(ms)), ms);
  });
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
