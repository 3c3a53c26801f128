import { ImportsBusy } from '@rollcall/application';

type Begin = () => void;

/**
 * So many tasks at a time, and of each company one. Companies take turns, whoever came first: one that sends much waits for
 * itself, and others for one task of each at most.
 */
export class FairTurns {
  readonly #most: number;
  /** Companies of which a task runs. */
  readonly #running = new Set<number>();
  /** In the order of the companies' next turns. */
  readonly #waiting = new Map<number, Begin[]>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs the task in its turn. `ImportsBusy`, and never run, where that is not within `waitMs`. */
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

  /** Hands turns on; nobody can come in between. */
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
