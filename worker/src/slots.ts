/** A number of places, for one who waits for them. */
export class Slots {
  readonly #count: number;
  #taken = 0;
  #left: () => void = () => undefined;

  constructor(count: number) {
    this.#count = count;
  }

  /** Takes a slot; the answer leaves it, once. */
  take(): () => void {
    let isTaken = true;
    this.#taken += 1;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#taken -= 1;
      this.#left();
    };
  }

  /** Resolves when one is free, or when the signal aborts. */
  async free(signal: AbortSignal): Promise<void> {
    while (this.#taken >= this.#count && !signal.aborted) await this.#change(signal);
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#left = () => {
        signal.removeEventListener('abort', this.#left);
        resolve();
      };
      signal.addEventListener('abort', this.#left, { once: true });
    });
  }
}
