import { ImportsBusy } from '@rollcall/application';

type Begin = () => void;

/**
 * One task at a time. Companies take turns, whoever came first: one that sends much waits for itself, and others for one
 * task of each at most.
 */
export class FairTurns {
  /** In the order of the companies' next turns. */
  readonly #waiting = new Map<number, Begin[]>();
  #busy = false;

  /** Runs the task in its turn. `ImportsBusy`, and never run, where that is not within `waitMs`. */
  async run<T>(companyId: number, waitMs: number, task: () => Promise<T>): Promise<T> {
    if (this.#busy) await this.#turn(companyId, waitMs);
    this.#busy = true;
    try {
      return await task();
    } finally {
      this.#next();
    }
  }

  #turn(companyId: number, waitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        const others = this.#waiting.get(companyId)?.filter((each) => each !== begin) ?? [];
        if (others.length > 0) this.#waiting.set(companyId, others);
        else this.#waiting.delete(companyId);
        reject(new ImportsBusy());
      }, waitMs);
      this.#waiting.set(companyId, [...(this.#waiting.get(companyId) ?? []), begin]);
    });
  }

  /** Hands the turn on; nobody can come in between. */
  #next(): void {
    const [first] = this.#waiting;
    this.#busy = first !== undefined;
    if (!first) return;
    const [companyId, [begin, ...others]] = first;
    this.#waiting.delete(companyId);
    if (others.length > 0) this.#waiting.set(companyId, others);
    begin?.();
  }
}
