import {
  everyByTimer,
  importLimits,
  RunStopped,
  type Every,
  type ImportRunner,
  type RunOptions,
  type RunResult,
} from '@rollcall/application';
import type { ImportThread } from './thread-tasks.js';

/** A small import waits this long for a busy thread; then another thread is started. */
const patienceMs = 1_000;

/** Started by its first task, and again by the next task after its end. */
export interface RunThread extends Pick<
  ImportThread,
  'open' | 'runOldest' | 'runOldestIfSmall' | 'attemptFailed'
> {
  close(): Promise<void>;
}

interface RunThreadsOptions {
  readonly newThread: () => RunThread;
  /** Limit for threads; two are always allowed, so that a large import gets its own. */
  readonly most: number;
  readonly every?: Every;
}

type Size = 'small' | 'large';

interface CountedThread {
  readonly thread: RunThread;
  running: number;
}

interface Waiting {
  readonly isSmall: boolean;
  mayStart: boolean;
  /** Another thread was started: a small import waits another second. */
  waitAnew(): void;
  begin(counted: CountedThread): void;
  leave(): void;
}

/** Small queued imports share the first, warm thread. A large one, or one that waited for a second, starts another. */
export class RunThreads implements ImportRunner {
  readonly #options: RunThreadsOptions;
  readonly #first: CountedThread;
  readonly #further: CountedThread[] = [];
  readonly #waiting = new Set<Waiting>();
  #isStopping = false;

  constructor(options: RunThreadsOptions) {
    this.#options = options;
    this.#first = this.#newThread();
  }

  /** Opens the first thread's stores; the first import reports a failure. */
  makeReady(): void {
    this.#first.thread.open().catch(() => undefined);
  }

  async runOldest(companyId: number, { alone = false, onOwnThread }: RunOptions = {}): Promise<RunResult> {
    if (!alone) {
      const result = await this.#inThread('small', (thread) => thread.runOldestIfSmall(companyId));
      // The thread may have been lost to an import beside this one: that is no attempt.
      if (result !== 'is-large' && result !== 'out-of-memory') return result;
      onOwnThread?.();
    }
    const result = await this.#inThread('large', (thread) => thread.runOldest(companyId, { alone }));
    if (result !== 'out-of-memory') return result;
    return this.#first.thread.attemptFailed(companyId, 'the import needs more memory than a thread may have');
  }

  async #inThread<R>(size: Size, run: (thread: RunThread) => Promise<R>): Promise<R | 'out-of-memory'> {
    const counted = await this.#threadFor(size);
    try {
      return await run(counted.thread);
    } catch (error) {
      if (isOutOfMemory(error)) return 'out-of-memory';
      throw error;
    } finally {
      counted.running -= 1;
      this.#next();
    }
  }

  /** Abandons imports that wait for a thread. The caller stops the threads. */
  stopping(): void {
    this.#isStopping = true;
    for (const waiting of this.#waiting) waiting.leave();
    this.#waiting.clear();
  }

  async close(): Promise<void> {
    this.stopping();
    await Promise.all([this.#first, ...this.#further].map(({ thread }) => thread.close()));
  }

  #newThread(): CountedThread {
    return { thread: this.#options.newThread(), running: 0 };
  }

  #threadFor(size: Size): Promise<CountedThread> {
    const { every = everyByTimer } = this.#options;
    const isSmall = size === 'small';
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
        begin: (counted) => {
          endWait();
          resolve(counted);
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

  /** First in, first out, unless no suitable thread is free. */
  #next(): void {
    for (const waiting of this.#waiting) {
      const counted = this.#freeThread(waiting);
      if (counted === undefined) continue;
      counted.running += 1;
      this.#waiting.delete(waiting);
      waiting.begin(counted);
    }
  }

  #freeThread({ isSmall, mayStart }: Waiting): CountedThread | undefined {
    if (isSmall && this.#first.running < importLimits.smallRunsPerThread) return this.#first;
    const idle = this.#further.find(({ running }) => running === 0);
    return idle ?? (mayStart ? this.#started() : undefined);
  }

  #started(): CountedThread | undefined {
    if (this.#further.length + 1 >= Math.max(2, this.#options.most)) return undefined;
    const counted = this.#newThread();
    this.#further.push(counted);
    // One thread at a time: another second shows whether more are needed.
    for (const waiting of this.#waiting) waiting.waitAnew();
    return counted;
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
