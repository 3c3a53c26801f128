import { setTimeout as wait } from 'node:timers/promises';
import { framesOf, NoAnswer, problemOf, type ProcessLogger } from './ports/problems.js';

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
export const growingDelay = (attempt: number, firstMs = 100, lastMs = 10_000): number =>
  Math.min(firstMs * 2 ** (attempt - 1), lastMs);

const noAnswer = (ms: number): Error => new NoAnswer(ms);

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

interface UntilDoneOptions extends FailureReportOptions {
  readonly signal: AbortSignal;
  readonly sleep?: Sleep | undefined;
}

/** Retries with growing delays until it succeeds or the signal aborts; `moved` reports progress and resets the delay. */
export async function untilDone(
  { signal, sleep: pause = sleep, ...options }: UntilDoneOptions,
  work: (moved: () => void) => Promise<void>,
): Promise<void> {
  const report = new FailureReport(options);
  let failures = 0;
  const moved = (): void => {
    failures = 0;
    report.succeeded();
  };
  while (!signal.aborted) {
    try {
      return await work(moved);
    } catch (error) {
      const delay = growingDelay((failures += 1));
      report.failed(error, { delay });
      await pause(delay, signal);
    }
  }
}

interface RepeatedlyOptions extends UntilDoneOptions {
  readonly everyMs: number;
  /** Passes before the first time (ms). */
  readonly firstMs?: number;
}

/** Works again and again until the signal aborts, `everyMs` behind each end, or what `work` resolves with (ms). */
export async function repeatedly(
  { signal, sleep: pause = sleep, everyMs, firstMs = 0, ...options }: RepeatedlyOptions,
  work: () => Promise<unknown>,
): Promise<void> {
  const report = new FailureReport(options);
  if (firstMs > 0) await pause(firstMs, signal);
  while (!signal.aborted) {
    const after = await report.tried(work);
    await pause(typeof after === 'number' ? after : everyMs, signal);
  }
}

const AGAIN_MS = 60_000;
/** A failure this long after the last report is a first one: not every loop hears of success. */
const newAfterMs = 10 * AGAIN_MS;

interface FailureReportOptions {
  readonly logger?: ProcessLogger | undefined;
  readonly message: string;
  readonly level?: 'warn' | 'error';
  readonly clock?: { now(): number };
}

/** Reports a loop's repeated failures: the first with its cause, then one line a minute. */
export class FailureReport {
  readonly #options: FailureReportOptions;
  #saidAt: number | undefined;

  constructor(options: FailureReportOptions) {
    this.#options = options;
  }

  /** Undefined where the work fails. */
  async tried<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      this.succeeded();
      return result;
    } catch (error) {
      this.failed(error);
      return undefined;
    }
  }

  failed(error: unknown, details: object = {}): void {
    const { clock = performance } = this.#options;
    const now = clock.now();
    const sinceMs = Math.abs(now - (this.#saidAt ?? -Infinity));
    if (sinceMs < AGAIN_MS) return;
    this.#saidAt = now;
    const problem = problemOf(error);
    if (sinceMs >= newAfterMs) this.#say({ problem, frames: framesOf(error), ...details }, '');
    else this.#say({ problem, ...details }, 'still: ');
  }

  succeeded(): void {
    this.#saidAt = undefined;
  }

  #say(details: object, before: string): void {
    const { logger, message, level = 'warn' } = this.#options;
    logger?.[level](details, before + message);
  }
}
