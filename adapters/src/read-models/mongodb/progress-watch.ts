import type { Position } from '@rollcall/application';

interface Waiter {
  readonly position: Position;
  readonly settle: (reached: boolean) => void;
}

export interface ProgressWatchOptions {
  readonly read: () => Promise<Position | undefined>;
  /** How often the store is looked into while somebody waits (ms). */
  readonly pollMs: number;
}

/**
 * One watch for all who wait in a process. It looks into the store while, and only while, somebody waits; a store that is
 * away has not reached anything.
 */
export class ProgressWatch {
  readonly #options: ProgressWatchOptions;
  readonly #waiters = new Set<Waiter>();
  #known: Position | undefined;
  #poll: NodeJS.Timeout | undefined;
  #looking = false;
  #closed = false;

  constructor(options: ProgressWatchOptions) {
    this.#options = options;
  }

  /** True once `position` is applied, false at the time-out or when the store closes. */
  async reached(position: Position, timeoutMs: number): Promise<boolean> {
    if (this.#isKnown(position)) return true;
    if (timeoutMs <= 0) {
      await this.#look();
      return this.#isKnown(position);
    }
    return this.#closed ? false : this.#wait(position, timeoutMs);
  }

  /** Tells of what was just applied here. */
  advanced(position: Position | undefined): void {
    if (position === undefined || this.#isKnown(position)) return;
    this.#known = position;
    for (const waiter of [...this.#waiters]) if (waiter.position <= position) waiter.settle(true);
  }

  /** Another generation may stand elsewhere: nothing is known any more. */
  forget(): void {
    this.#known = undefined;
  }

  close(): void {
    this.#closed = true;
    for (const waiter of [...this.#waiters]) waiter.settle(false);
  }

  #wait(position: Position, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        position,
        settle: (reached) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          if (this.#waiters.size === 0) clearInterval(this.#poll);
          resolve(reached);
        },
      };
      const timer = setTimeout(() => waiter.settle(false), timeoutMs);
      this.#waiters.add(waiter);
      if (this.#waiters.size === 1) this.#poll = setInterval(() => this.#lookForAll(), this.#options.pollMs);
      this.#lookForAll();
    });
  }

  #lookForAll(): void {
    if (this.#looking) return;
    this.#looking = true;
    const over = (): void => {
      this.#looking = false;
    };
    this.#look().then(over, over);
  }

  async #look(): Promise<void> {
    this.advanced(await this.#options.read());
  }

  #isKnown(position: Position): boolean {
    return this.#known !== undefined && this.#known >= position;
  }
}
