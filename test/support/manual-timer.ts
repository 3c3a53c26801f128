import type { Clock, Every } from '@rollcall/application';

/** A clock and a timer that stand still until they are told otherwise. */
export class ManualTime implements Clock {
  #now: number;
  readonly #tasks = new Set<() => Promise<void>>();

  constructor(now = Date.now()) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  /** Moves the clock; no timer runs by that. */
  pass(ms: number): void {
    this.#now += ms;
  }

  /** Runs every timer's task once. */
  async tick(): Promise<void> {
    await Promise.all([...this.#tasks].map((task) => task()));
  }

  readonly every: Every = (_ms, task) => {
    this.#tasks.add(task);
    return () => this.#tasks.delete(task);
  };
}
