/** A number of places. */
export class Slots {
  readonly #count: number;
  #taken = 0;
  readonly #waiting = new Set<() => void>();

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
      const waiting = [...this.#waiting];
      this.#waiting.clear();
      for (const goOn of waiting) goOn();
    };
  }

  /** Takes a slot as soon as one is free; the answer leaves it, once. */
  async enter(): Promise<() => void> {
    while (this.#taken >= this.#count) await new Promise<void>((goOn) => this.#waiting.add(goOn));
    return this.take();
  }

  /** Resolves when one is free, or when the signal aborts. */
  async free(signal: AbortSignal): Promise<void> {
    while (this.#taken >= this.#count && !signal.aborted) await this.#change(signal);
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const goOn = (): void => {
        this.#waiting.delete(goOn);
        signal.removeEventListener('abort', goOn);
        resolve();
      };
      this.#waiting.add(goOn);
      signal.addEventListener('abort', goOn, { once: true });
    });
  }
}
