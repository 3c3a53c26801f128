import { EventLogUnavailable } from '../ports/event-log.js';
import { growingDelay } from '../timers.js';
import { outageOf, type Outage } from './outage.js';

/** A server drops a repeat that arrives before the first is indexed, and answers seconds later. */
const firstWaitMs = 100;
const maxWaitMs = 2_000;

/** An election takes 2 to 8 s on a cluster; a call has 30 s. */
const maxElectionMs = 20_000;
const BRIEF_MS = 1_500;

export interface RetryDeps {
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
  readonly timer?: (() => number) | undefined;
  readonly briefMs?: number;
}

/** Exponential backoff with jitter for one call. During an outage one call probes; the others wait for its result. */
export class OutageRetry {
  readonly #outage: Outage;
  readonly #sleep: (ms: number) => Promise<void>;
  readonly #timer: () => number;
  readonly #begun: number;
  readonly #briefMs: number;
  #attempt = 0;
  #waited = 0;

  constructor(
    log: object,
    { sleep = pause, timer = () => performance.now(), briefMs = BRIEF_MS }: RetryDeps = {},
  ) {
    this.#outage = outageOf(log);
    this.#sleep = sleep;
    this.#timer = timer;
    this.#begun = timer();
    this.#briefMs = briefMs;
  }

  answered(): void {
    this.#outage.answered();
  }

  /** Resolves when the next attempt may be made; throws the error where waiting does not help or took too long. */
  async after(error: unknown): Promise<void> {
    try {
      this.#checkTime(error);
      this.#attempt += 1;
      if (error instanceof EventLogUnavailable && error.isTransient) await this.#inTurn(error);
      else await this.#pause(this.#attempt);
    } catch (failure) {
      this.#outage.leave(this);
      throw failure;
    }
  }

  async #inTurn(error: EventLogUnavailable): Promise<void> {
    const failedAt = this.#timer();
    this.#outage.failed(this);
    while (!this.#outage.isKnocking(this)) {
      const waited = await this.#outage.next();
      this.#checkTime(error);
      if (waited === 'answers') return this.#pause(this.#attempt, this.#timer() - failedAt);
    }
    await this.#pause(Math.max(this.#attempt, this.#outage.failures));
  }

  #checkTime(error: unknown): void {
    if (!(error instanceof EventLogUnavailable)) throw error;
    const spent = Math.max(this.#timer() - this.#begun, this.#waited);
    if (spent >= (error.isTransient ? maxElectionMs : this.#briefMs)) throw error;
  }

  async #pause(attempt: number, alreadyMs = 0): Promise<void> {
    const ms = growingDelay(attempt, firstWaitMs, maxWaitMs) * (1 + Math.random() / 2) - alreadyMs;
    if (ms <= 0) return;
    this.#waited += ms;
    await this.#sleep(ms);
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
