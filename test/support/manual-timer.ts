import type { Clock, Every } from '@rollcall/application';

interface Timer {
  readonly ms: number;
  readonly task: () => Promise<void>;
  /** In milliseconds of the timers' time, which no `pass` moves. */
  dueAt: number;
}

/** A clock and timers that stand still until they are told otherwise. */
export class ManualTime implements Clock {
  #now: number;
  #elapsed = 0;
  readonly #timers = new Set<Timer>();

  constructor(now = Date.now()) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  /** Sets the clock forward, or back; no timer runs by that. */
  pass(ms: number): void {
    this.#now += ms;
  }

  /** Lets so many milliseconds pass: each timer's task runs as often as its interval says, the earliest first. */
  async tick(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    for (let timer = this.#dueUntil(end); timer; timer = this.#dueUntil(end)) {
      this.#moveTo(timer.dueAt);
      timer.dueAt += timer.ms;
      await timer.task();
    }
    this.#moveTo(end);
  }

  readonly every: Every = (ms, task) => {
    const timer = { ms, task, dueAt: this.#elapsed + ms };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  #dueUntil(end: number): Timer | undefined {
    return [...this.#timers].filter(({ dueAt }) => dueAt <= end).sort((a, b) => a.dueAt - b.dueAt)[0];
  }

  #moveTo(elapsed: number): void {
    this.#now += elapsed - this.#elapsed;
    this.#elapsed = elapsed;
  }
}
