import { ImportsBusy } from '@rollcall/application';

type Begin = () => void;

/** Limits concurrency, with one task per company. Companies take turns, so that a busy one delays mainly itself. */
export class FairLimiter {
  readonly #most: number;
  readonly #running = new Set<number>();
  /** In the order of the companies' next turns. */
  readonly #waiting = new Map<number, Begin[]>();

  constructor(most: number) {
    this.#most = most;
  }

  /** `ImportsBusy`, without running the task, where its turn does not come within `waitMs`. */
  async run<T>(companyId: number, waitMs: number, task: () => Promise<T>): Promise<T> {
    if (this.#mayBegin(companyId)) this.#running.add(companyId);
    else await this.#turn(companyId, waitMs);
    try {
      return await task();
    } finally {
      this.#running.delete(companyId);
      this.#beginNext();
    }
  }

  #mayBegin(companyId: number): boolean {
    return this.#running.size < this.#most && !this.#running.has(companyId);
  }

  #turn(companyId: number, waitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#wait(
          companyId,
          this.#waiting.get(companyId)?.filter((each) => each !== begin),
        );
        reject(new ImportsBusy());
      }, waitMs);
      this.#waiting.set(companyId, [...(this.#waiting.get(companyId) ?? []), begin]);
    });
  }

  #wait(companyId: number, tasks: Begin[] = []): void {
    if (tasks.length > 0) this.#waiting.set(companyId, tasks);
    else this.#waiting.delete(companyId);
  }

  /** Synchronous: no other task can start in between. */
  #beginNext(): void {
    for (const [companyId, [begin, ...others]] of this.#waiting) {
      if (this.#running.size >= this.#most) return;
      if (!this.#mayBegin(companyId)) continue;
      this.#running.add(companyId);
      this.#waiting.delete(companyId);
      this.#wait(companyId, others);
      begin?.();
    }
  }
}
