interface Waiting {
  readonly alone: boolean;
  readonly begin: () => void;
}

/** Tasks that run side by side, and some that run alone. In the order in which they came, so that none waits for ever. */
export class Turns {
  readonly #waiting: Waiting[] = [];
  #running = 0;
  #isAlone = false;

  async beside<T>(task: () => Promise<T>): Promise<T> {
    return this.#run(false, task);
  }

  async alone<T>(task: () => Promise<T>): Promise<T> {
    return this.#run(true, task);
  }

  async #run<T>(alone: boolean, task: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      this.#waiting.push({ alone, begin });
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
      this.#isAlone = first.alone;
      first.begin();
    }
  }

  #mayBegin({ alone }: Waiting): boolean {
    return this.#running === 0 || !(alone || this.#isAlone);
  }
}
