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
import { FairLimiter } from './fair-limiter.js';
import type { GivenTask, ImportThread, ThreadAnswer } from './thread-tasks.js';

export interface AcceptQueueOptions {
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
