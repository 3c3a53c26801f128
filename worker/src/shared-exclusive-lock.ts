interface Waiting {
  readonly isExclusive: boolean;
  readonly begin: () => void;
}

/** Tasks that run side by side, and some that run alone. In the order in which they came, so that none waits for ever. */
export class SharedExclusiveLock {
  readonly #waiting: Waiting[] = [];
  #running = 0;
  #runsExclusive = false;

  async shared<T>(task: () => Promise<T>): Promise<T> {
    return this.#run(false, task);
  }

  async exclusive<T>(task: () => Promise<T>): Promise<T> {
    return this.#run(true, task);
  }

  async #run<T>(isExclusive: boolean, task: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      this.#waiting.push({ isExclusive, begin });
      this.#next();
    });
    try {
      return await task();
    } finally {
      this.#running -= 1;
      this.#next();
    }
  }

  #next(): void {
    for (let first = this.#waiting[0]; first && this.#mayBegin(first); first = this.#waiting[0]) {
      this.#waiting.shift();
      this.#running += 1;
      this.#runsExclusive = first.isExclusive;
      first.begin();
    }
  }

  #mayBegin({ isExclusive }: Waiting): boolean {
    return this.#running === 0 || !(isExclusive || this.#runsExclusive);
  }
}
