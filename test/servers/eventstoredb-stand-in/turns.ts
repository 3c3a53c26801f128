/** Writes that come while others are under way wait for them, and are then done together, one after the other. */
export class Turns {
  readonly #end: (answer: () => void) => Promise<void>;
  #waiting: (() => () => void)[] = [];
  #isBusy = false;

  /** `end` makes durable what a turn has done, and then lets it be answered. */
  constructor(end: (answer: () => void) => Promise<void>) {
    this.#end = end;
  }

  take<T>(work: () => T): Promise<T> {
    return new Promise((resolve) => {
      this.#waiting.push(() => {
        const outcome = work();
        return () => resolve(outcome);
      });
      if (this.#isBusy) return;
      this.#isBusy = true;
      setImmediate(() => void this.#run());
    });
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const works = this.#waiting;
      this.#waiting = [];
      const answers = works.map((work) => work());
      await this.#end(() => {
        for (const answer of answers) answer();
      });
    }
    this.#isBusy = false;
  }
}
