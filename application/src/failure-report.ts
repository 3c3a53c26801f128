import { framesOf, problemOf, type ProcessLogger } from './ports/problems.js';

const AGAIN_MS = 60_000;

export interface FailureReportOptions {
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

  failed(error: unknown, details: object = {}): void {
    const { clock = performance } = this.#options;
    const now = clock.now();
    const before = this.#saidAt;
    if (before !== undefined && Math.abs(now - before) < AGAIN_MS) return;
    this.#saidAt = now;
    const problem = problemOf(error);
    if (before === undefined) this.#say({ problem, frames: framesOf(error), ...details }, '');
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
