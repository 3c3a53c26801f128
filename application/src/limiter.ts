export class Limiter {
  readonly #count: number;
  #taken = 0;
  /** In the order of the calls: a freed slot wakes only the first. */
  readonly #entering = new Set<() => void>();
  readonly #watching = new Set<() => void>();

  constructor(count: number) {
    this.#count = count;
  }

  get hasFree(): boolean {
    return this.#taken < this.#count;
  }

  /** As `take`; undefined where no slot is free. */
  tryTake(): (() => void) | undefined {
    return this.hasFree ? this.take() : undefined;
  }

  /** Takes a slot even if none is free. The result frees it; a second call of it does nothing. */
  take(): () => void {
    this.#taken += 1;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#leave();
    };
  }

  /** As `take`, as soon as a slot is free, in the order of the calls. */
  async enter(): Promise<() => void> {
    return this.tryTake() ?? new Promise((resolve) => this.#entering.add(() => resolve(this.take())));
  }

  /** Resolves when a slot is free, or when the signal aborts. */
  async free(signal: AbortSignal): Promise<void> {
    while (!this.hasFree && !signal.aborted) await this.#change(signal);
  }

  #leave(): void {
    this.#taken -= 1;
    const [next] = this.#entering;
    if (next !== undefined && this.hasFree) {
      this.#entering.delete(next);
      next();
      return;
    }
    for (const goOn of [...this.#watching]) goOn();
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const goOn = (): void => {
        this.#watching.delete(goOn);
        signal.removeEventListener('abort', goOn);
        resolve();
      };
      this.#watching.add(goOn);
      signal.addEventListener('abort', goOn, { once: true });
    });
  }
}
