import {
  ImportsBusy,
  within,
  type ArrivingImport,
  type BodyIntake,
  type ImportRequest,
} from '@rollcall/application';
import { ThreadBodyIntake } from './body-intake.js';
import { FairTurns } from './fair-turns.js';
import type { GivenTask, ImportThread, ThreadAnswer } from './thread-tasks.js';

export interface AcceptLaneOptions {
  /** The one thread of the lane. */
  readonly thread: Pick<ImportThread, 'open' | 'accept' | 'takeUp'>;
  /** Milliseconds that a call waits at most for its turn and for a thread that answers. */
  readonly waitMs: number;
  /** So many calls at a time, each of another company: while one waits for the log, others have the thread. */
  readonly atOnce: number;
  /** Streams that cannot be used, as a task is told. */
  readonly damaged: () => GivenTask['damaged'];
}

/** A thread that accepts the calls of one size. */
export class AcceptLane {
  readonly #options: AcceptLaneOptions;
  readonly #turns: FairTurns;
  #answers = false;
  #opening: Promise<void> | undefined;

  constructor(options: AcceptLaneOptions) {
    this.#options = options;
    this.#turns = new FairTurns(options.atOnce);
  }

  /** Whether a thread has answered, and has not ended since. */
  get isReady(): boolean {
    return this.#answers;
  }

  /** To be called when the thread has ended. */
  threadEnded(): void {
    this.#answers = false;
  }

  /** Resolves once a thread answers. Rejects with what keeps it from that, for example `EventLogUnavailable`. */
  open(): Promise<void> {
    return (this.#opening ??= this.#open().finally(() => (this.#opening = undefined)));
  }

  /** `ImportsBusy` where no thread could take the call in time: it has done nothing then. */
  accept(request: ImportRequest): Promise<ThreadAnswer> {
    return this.#inTurn(request.companyId, () => this.#options.thread.accept(request));
  }

  /** Takes up a body now, and decides on it in its turn. */
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
