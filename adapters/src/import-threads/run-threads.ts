import {
  everyByTimer,
  RunStopped,
  type Every,
  type ImportRunner,
  type RunPlace,
  type RunResult,
} from '@rollcall/application';
import type { ImportThread } from './thread-tasks.js';

/** So many imports the first thread has at a time: while one waits for the log, another is read. */
export const smallAtOnce = 2;

/** What is small waits so long for a thread that is there; then a further one is started. */
const patienceMs = 1_000;

/** Is started by the first task that it gets, and by the next one after its end. */
export interface RunThread extends Pick<ImportThread, 'open' | 'runOldest' | 'attemptFailed'> {
  close(): Promise<void>;
}

export interface RunThreadsOptions {
  readonly newThread: () => RunThread;
  /** How many threads there may be; two are always allowed, so that what is large has one of its own. */
  readonly most: number;
  /** Injected in tests. */
  readonly every?: Every;
}

/** A thread, and how many imports it has. */
interface Seat {
  readonly thread: RunThread;
  running: number;
}

interface Waiting {
  readonly isSmall: boolean;
  /** Whether a thread may be started for it. */
  mayStart: boolean;
  /** A further thread was started: what is small waits another second. */
  waitAnew(): void;
  begin(seat: Seat): void;
  leave(): void;
}

/**
 * The threads of queued imports. What may run beside others meets the first one, which is warm. A further one is started for
 * what needs its own, or when something has waited for a second; it has one import at a time, and stays.
 */
export class RunThreads implements ImportRunner {
  readonly #options: RunThreadsOptions;
  readonly #first: Seat;
  readonly #further: Seat[] = [];
  readonly #waiting = new Set<Waiting>();
  #isStopping = false;

  constructor(options: RunThreadsOptions) {
    this.#options = options;
    this.#first = this.#newSeat();
  }

  /** Warms the first thread; what keeps it from opening is told by the first import. */
  makeReady(): void {
    this.#first.thread.open().catch(() => undefined);
  }

  async runOldest(companyId: number, place: RunPlace): Promise<RunResult> {
    const seat = await this.#seatFor(place);
    try {
      return await seat.thread.runOldest(companyId, place);
    } catch (error) {
      if (!isOutOfMemory(error)) throw error;
    } finally {
      seat.running -= 1;
      this.#next();
    }
    return this.#withoutMemory(companyId, place);
  }

  /** It counts as an attempt where the thread was lost to this import, and not to one beside it. */
  #withoutMemory(companyId: number, place: RunPlace): Promise<RunResult> {
    if (place === 'beside-others') return this.runOldest(companyId, 'in-own-thread');
    return this.#first.thread.attemptFailed(companyId, 'the import needs more memory than a thread may have');
  }

  /** What waits for a thread is left to others; the threads are told by whoever has started them. */
  stopping(): void {
    this.#isStopping = true;
    for (const waiting of this.#waiting) waiting.leave();
    this.#waiting.clear();
  }

  async close(): Promise<void> {
    this.stopping();
    await Promise.all([this.#first, ...this.#further].map(({ thread }) => thread.close()));
  }

  #newSeat(): Seat {
    return { thread: this.#options.newThread(), running: 0 };
  }

  #seatFor(place: RunPlace): Promise<Seat> {
    const { every = everyByTimer } = this.#options;
    const isSmall = place === 'beside-others';
    return new Promise((resolve, reject) => {
      if (this.#isStopping) return reject(new RunStopped());
      const wait = (): (() => void) =>
        every(patienceMs, () => {
          waiting.mayStart = true;
          return Promise.resolve(this.#next());
        });
      let endWait = wait();
      const waiting: Waiting = {
        isSmall,
        mayStart: !isSmall,
        waitAnew: () => {
          endWait();
          endWait = wait();
          waiting.mayStart = !isSmall;
        },
        begin: (seat) => {
          endWait();
          resolve(seat);
        },
        leave: () => {
          endWait();
          reject(new RunStopped());
        },
      };
      this.#waiting.add(waiting);
      this.#next();
    });
  }

  /** Whoever came first is first, unless there is no thread for it. */
  #next(): void {
    for (const waiting of this.#waiting) {
      const seat = this.#seatThatIsFree(waiting);
      if (seat === undefined) continue;
      seat.running += 1;
      this.#waiting.delete(waiting);
      waiting.begin(seat);
    }
  }

  #seatThatIsFree({ isSmall, mayStart }: Waiting): Seat | undefined {
    if (isSmall && this.#first.running < smallAtOnce) return this.#first;
    const idle = this.#further.find(({ running }) => running === 0);
    return idle ?? (mayStart ? this.#started() : undefined);
  }

  #started(): Seat | undefined {
    if (this.#further.length + 1 >= Math.max(2, this.#options.most)) return undefined;
    const seat = this.#newSeat();
    this.#further.push(seat);
    // One at a time: a second more tells whether another one is needed.
    for (const waiting of this.#waiting) waiting.waitAnew();
    return seat;
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
