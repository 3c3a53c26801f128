import {
  sharing,
  ImportsBusy,
  within,
  type ArrivingImport,
  type BodyIntake,
  type FoundEmployee,
  type ImportRequest,
} from '@rollcall/application';
import { ThreadBodyIntake } from './body-intake.js';
import type { GivenTask, ImportThread, ThreadAnswer } from './thread-tasks.js';

interface AcceptQueueOptions {
  readonly thread: Pick<ImportThread, 'open' | 'accept' | 'takeUp' | 'findEmployee'>;
  /** Limit for the wait for a turn and for a thread (ms). */
  readonly waitMs: number;
  /** Concurrent calls, each of another company: while one waits for the log, others use the thread. */
  readonly atOnce: number;
  readonly damaged: () => GivenTask['damaged'];
}

export class AcceptQueue {
  readonly #options: AcceptQueueOptions;
  readonly #turns: FairLimiter;
  #answers = false;

  constructor(options: AcceptQueueOptions) {
    this.#options = options;
    this.#turns = new FairLimiter(options.atOnce);
  }

  /** Whether the thread has answered and still lives. */
  get isReady(): boolean {
    return this.#answers;
  }

  threadEnded(): void {
    this.#answers = false;
  }

  /** Resolves once a thread answers. Rejects with the reason, for example `EventLogUnavailable`. */
  readonly open = sharing(() => this.#open());

  /** `ImportsBusy`, with nothing done, where no thread takes the call in time. */
  accept(request: ImportRequest): Promise<ThreadAnswer> {
    return this.#inTurn(request.companyId, () => this.#options.thread.accept(request));
  }

  findEmployee(companyId: number, employeeId: string): Promise<FoundEmployee> {
    return this.#inTurn(companyId, () => this.#options.thread.findEmployee(companyId, employeeId));
  }

  /** Takes up a body at once, and decides on it in its turn. */
  takeUp(arriving: ArrivingImport): BodyIntake {
    const { thread, damaged, waitMs } = this.#options;
    return new ThreadBodyIntake({
      start: (port) => thread.takeUp(arriving, port),
      inTurn: (work) => this.#inTurn(arriving.companyId, work),
      damaged,
      waitMs,
    });
  }

  #inTurn<T>(companyId: number, work: () => Promise<T>): Promise<T> {
    const { waitMs } = this.#options;
    const deadline = performance.now() + waitMs;
    return this.#turns.run(companyId, waitMs, async () => {
      if (!this.#answers)
        await within(this.open(), Math.max(0, deadline - performance.now()), () => new ImportsBusy());
      return work();
    });
  }

  async #open(): Promise<void> {
    await this.#options.thread.open();
    this.#answers = true;
  }
}

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
