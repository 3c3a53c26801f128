import type { Sleep } from '@rollcall/application';

interface Sleeper {
  readonly ms: number;
  wake(): void;
}

/** Nobody sleeps longer than the test wants. */
export class HandSleep {
  /** Every sleep so far, in milliseconds. */
  readonly asked: number[] = [];
  #sleepers: Sleeper[] = [];
  #arrived: () => void = () => undefined;

  readonly sleep: Sleep = (ms, signal) =>
    new Promise((resolve) => {
      this.asked.push(ms);
      const wake = (): void => {
        this.#sleepers = this.#sleepers.filter((one) => one.wake !== wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      if (signal.aborted) return wake();
      signal.addEventListener('abort', wake, { once: true });
      this.#sleepers.push({ ms, wake });
      this.#arrived();
    });

  /** Waits until somebody sleeps, wakes the first, and gives how long it would have slept. */
  async pass(): Promise<number> {
    while (this.#sleepers.length === 0)
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    const [first] = this.#sleepers;
    first?.wake();
    return first?.ms ?? 0;
  }
}
