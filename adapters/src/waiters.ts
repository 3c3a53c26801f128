import { watch, type FSWatcher } from 'node:fs';
import { createHash } from 'node:crypto';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

const environmentKey = 'rollcall-hints';
/** Names hash to these counters; a collision costs one spurious wake-up. */
const counterCount = 1024;

/** The first thread creates the counters; later threads inherit them. */
function countersOfProcess(): Int32Array<SharedArrayBuffer> {
  const known: unknown = getEnvironmentData(environmentKey);
  if (known instanceof SharedArrayBuffer) return new Int32Array(known);
  const made = new SharedArrayBuffer(counterCount * Int32Array.BYTES_PER_ELEMENT);
  setEnvironmentData(environmentKey, made);
  return new Int32Array(made);
}

const wakeCounters = countersOfProcess();

const counterOf = (name: string): number =>
  createHash('sha256').update(name).digest().readUInt32LE() % counterCount;

/** Wakes other threads and handles of this process. Wake-ups may merge, so each woken one looks for itself. */
export class ProcessHint {
  readonly #counter: number;
  readonly #onWake: () => void;
  #isListening = false;
  #isWaking = false;

  /** `onWake` runs once per `listen`. */
  constructor(name: string, onWake: () => void) {
    this.#counter = counterOf(name);
    this.#onWake = onWake;
  }

  /** Does not keep the process alive. */
  listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    const waited = Atomics.waitAsync(wakeCounters, this.#counter, Atomics.load(wakeCounters, this.#counter));
    void Promise.resolve(waited.value).then(() => {
      this.#isListening = false;
      this.#onWake();
    });
  }

  /** Once for all that was committed together: it costs a switch to another thread. */
  wake(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    process.nextTick(() => {
      this.#isWaking = false;
      Atomics.add(wakeCounters, this.#counter, 1);
      Atomics.notify(wakeCounters, this.#counter);
    });
  }
}

interface Waiter<T> {
  readonly ready: (seen: T) => boolean;
  readonly resolve: () => void;
}

/** A watched file needs polls only for lost hints. */
const watchedPollMs = 250;
const unwatchedPollMs = 20;
/** The file changes before readers see the commit: as long as a disk needs, polls 1, 2, 4, 8 and 16 ms after one another. */
const settlingMs = { first: 1, last: 16 };
const maxBusyGapMs = 50;
const busyMs = 1_000;

interface WaitersOptions<T> {
  readonly hintName: string;
  /** Every commit changes it. */
  readonly file: () => string;
  readonly pollMs?: number | undefined;
  readonly observe: () => T;
}

/**
 * Waiters for changes of a store. Hints report this process's changes, from any thread; a watch on the file reports others'.
 * A lost hint costs one poll. Each commit changes the file several times, so a busy process polls instead of watching.
 */
export class Waiters<T = undefined> {
  readonly #options: WaitersOptions<T>;
  readonly #hint: ProcessHint;
  readonly #waiters = new Set<Waiter<T>>();
  #watcher: { readonly file: string; readonly events: FSWatcher } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #settled: NodeJS.Timeout | undefined;
  #busy: NodeJS.Timeout | undefined;
  #hintedAt = -Infinity;
  #closed = false;

  constructor(options: WaitersOptions<T>) {
    this.#options = options;
    this.#hint = new ProcessHint(options.hintName, () => this.#woken());
  }

  /** Resolves when `ready` is true, or the signal aborts. A failed poll wakes too: the next use reports the cause. */
  wait(ready: (seen: T) => boolean, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    // Before the poll, so that no commit in between is missed.
    this.#hint.listen();
    this.#watch();
    if (this.#observed()(ready)) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => this.#wake(mine);
      const mine: Waiter<T> = {
        ready,
        resolve: () => {
          signal.removeEventListener('abort', end);
          resolve();
        },
      };
      signal.addEventListener('abort', end, { once: true });
      this.#waiters.add(mine);
      this.#timer ??= this.#polling();
    });
  }

  changed(): void {
    this.#hint.wake();
  }

  #woken(): void {
    if (this.#waiters.size === 0) return;
    this.#hint.listen();
    const now = performance.now();
    if (now - this.#hintedAt < maxBusyGapMs) this.#stayBusy();
    this.#hintedAt = now;
    this.poll();
  }

  #stayBusy(): void {
    if (this.#busy !== undefined || this.#closed) {
      this.#busy?.refresh();
      return;
    }
    this.#busy = setTimeout(() => this.#becomeQuiet(), busyMs).unref();
    this.#unwatch();
    this.#pollAnew();
  }

  #becomeQuiet(): void {
    this.#busy = undefined;
    if (this.#waiters.size === 0) return;
    this.#watch();
    this.#pollAnew();
    this.poll();
  }

  #pollAnew(): void {
    clearInterval(this.#timer);
    this.#timer = this.#polling();
  }

  #polling(): NodeJS.Timeout {
    return setInterval(() => this.poll(), this.#pollMs());
  }

  poll(): void {
    if (this.#waiters.size === 0) return;
    const isDue = this.#observed();
    for (const waiter of [...this.#waiters]) if (isDue(waiter.ready)) this.#wake(waiter);
  }

  close(): void {
    this.#closed = true;
    this.#unwatch();
    clearTimeout(this.#settled);
    clearTimeout(this.#busy);
  }

  #pollMs(): number {
    return this.#options.pollMs ?? (this.#watcher ? watchedPollMs : unwatchedPollMs);
  }

  #watch(): void {
    const file = this.#options.file();
    if (this.#closed || this.#busy !== undefined || this.#watcher?.file === file) return;
    this.#unwatch();
    try {
      const events = watch(file, { persistent: false }, (event) => {
        // Another file may have replaced it.
        if (event === 'rename') this.#unwatch();
        this.#hinted();
      });
      events.on('error', () => this.#unwatch());
      this.#watcher = { file, events };
    } catch {
      // Polling finds it too.
    }
  }

  #unwatch(): void {
    this.#watcher?.events.close();
    this.#watcher = undefined;
  }

  #hinted(): void {
    if (this.#waiters.size === 0) return;
    this.poll();
    clearTimeout(this.#settled);
    this.#settle(settlingMs.first);
  }

  #settle(ms: number): void {
    this.#settled = setTimeout(() => {
      this.poll();
      if (ms < settlingMs.last) this.#settle(2 * ms);
    }, ms).unref();
  }

  #observed(): (ready: (seen: T) => boolean) => boolean {
    try {
      const seen = this.#options.observe();
      return (ready) => succeeds(() => ready(seen));
    } catch {
      return () => true;
    }
  }

  #wake(waiter: Waiter<T>): void {
    if (!this.#waiters.delete(waiter)) return;
    waiter.resolve();
    if (this.#waiters.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function succeeds(ready: () => boolean): boolean {
  try {
    return ready();
  } catch {
    return true;
  }
}
