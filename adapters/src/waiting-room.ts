import { watch, type FSWatcher } from 'node:fs';
import { ProcessHint } from './process-hint.js';

interface Waiter<T> {
  readonly ready: (seen: T) => boolean;
  readonly dueIn: DueIn | undefined;
  readonly resolve: () => void;
}

/** In how many milliseconds time alone makes somebody ready; undefined where only a change does. */
export type DueIn = () => number | undefined;

/** How often is looked where the file is watched: for what no hint told of. */
const WATCHED_POLL_MS = 250;
/** The same where the operating system watches no more files. */
const UNWATCHED_POLL_MS = 20;
/** The file changes a moment before a reader sees the commit: after the last hint comes one more look. */
const SETTLED_MS = 20;
/** A process that commits again within so long commits much. */
const CLOSE_MS = 50;
/** For so long after such a commit the file is not watched. */
const BUSY_MS = 1_000;

export interface WaitingRoomOptions<T> {
  /** Names the store to other threads and handles of this process. */
  readonly hintName: string;
  /** The store's file: whoever commits changes it. */
  readonly file: () => string;
  /** How often is looked, hints or none (ms); by default 250 where the file can be watched and 20 where not. */
  readonly pollMs?: number | undefined;
  /** What is looked up once for all who wait. */
  readonly observe: () => T;
}

/**
 * Where those wait who are to know of a change in a store. What this process does comes with a hint, whichever of its threads
 * and handles did it; what another process does with one from the store's file, while somebody waits. A hint that is lost
 * costs one poll, nothing else. The file changes several times with each commit, so that it is not watched while this
 * process commits much: what others do then is seen with the next of these commits, or by polling.
 */
export class WaitingRoom<T = undefined> {
  readonly #options: WaitingRoomOptions<T>;
  readonly #hint: ProcessHint;
  readonly #waiters = new Set<Waiter<T>>();
  #watcher: { readonly file: string; readonly events: FSWatcher } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #settled: NodeJS.Timeout | undefined;
  /** Runs while this process commits much. */
  #busy: NodeJS.Timeout | undefined;
  #toldAt = -Infinity;
  #due: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: WaitingRoomOptions<T>) {
    this.#options = options;
    this.#hint = new ProcessHint(options.hintName, () => this.#told());
  }

  /**
   * Resolves when `ready` says so, or when the signal aborts; what time alone makes ready is looked at when it is due. A look
   * that fails wakes too: the next use says why.
   */
  wait(ready: (seen: T) => boolean, signal: AbortSignal, dueIn?: DueIn): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    // Before the look: a commit between the two is seen by one of them.
    this.#hint.listen();
    this.#watch();
    if (this.#observed()(ready)) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => this.#wake(mine);
      const mine: Waiter<T> = {
        ready,
        dueIn,
        resolve: () => {
          signal.removeEventListener('abort', end);
          resolve();
        },
      };
      signal.addEventListener('abort', end, { once: true });
      this.#waiters.add(mine);
      this.#timer ??= this.#polling();
      this.#lookWhenDue();
    });
  }

  /** Something changed here that others may wait for. */
  changed(): void {
    this.#hint.tell();
  }

  #told(): void {
    if (this.#waiters.size === 0) return;
    this.#hint.listen();
    const now = performance.now();
    if (now - this.#toldAt < CLOSE_MS) this.#stayBusy();
    this.#toldAt = now;
    this.look();
  }

  #stayBusy(): void {
    if (this.#busy !== undefined || this.#closed) {
      this.#busy?.refresh();
      return;
    }
    this.#busy = setTimeout(() => this.#becomeQuiet(), BUSY_MS).unref();
    this.#unwatch();
    this.#pollAnew();
  }

  #becomeQuiet(): void {
    this.#busy = undefined;
    if (this.#waiters.size === 0) return;
    this.#watch();
    this.#pollAnew();
    this.look();
  }

  #pollAnew(): void {
    clearInterval(this.#timer);
    this.#timer = this.#polling();
  }

  #polling(): NodeJS.Timeout {
    return setInterval(() => this.look(), this.#pollMs());
  }

  look(): void {
    if (this.#waiters.size === 0) return;
    const isDue = this.#observed();
    for (const waiter of [...this.#waiters]) if (isDue(waiter.ready)) this.#wake(waiter);
    this.#lookWhenDue();
  }

  #lookWhenDue(): void {
    clearTimeout(this.#due);
    const next = Math.min(...[...this.#waiters].map(nextOf));
    // What lies farther away is seen by polling.
    if (next < this.#pollMs()) this.#due = setTimeout(() => this.look(), Math.max(1, next)).unref();
  }

  close(): void {
    this.#closed = true;
    this.#unwatch();
    clearTimeout(this.#settled);
    clearTimeout(this.#busy);
    clearTimeout(this.#due);
  }

  #pollMs(): number {
    return this.#options.pollMs ?? (this.#watcher ? WATCHED_POLL_MS : UNWATCHED_POLL_MS);
  }

  /** The store's present file: a store that is opened again has another. */
  #watch(): void {
    const file = this.#options.file();
    if (this.#closed || this.#busy !== undefined || this.#watcher?.file === file) return;
    this.#unwatch();
    try {
      const events = watch(file, { persistent: false }, (event) => {
        // Another file may have its place by now.
        if (event === 'rename') this.#unwatch();
        this.#hinted();
      });
      events.on('error', () => this.#unwatch());
      this.#watcher = { file, events };
    } catch {
      // Polling does it too.
    }
  }

  #unwatch(): void {
    this.#watcher?.events.close();
    this.#watcher = undefined;
  }

  #hinted(): void {
    if (this.#waiters.size === 0) return;
    this.look();
    this.#settled ??= setTimeout(() => this.look(), SETTLED_MS).unref();
    this.#settled.refresh();
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

/** Infinity too where the store cannot be read: the next look wakes everybody then. */
function nextOf<T>({ dueIn }: Waiter<T>): number {
  try {
    return dueIn?.() ?? Infinity;
  } catch {
    return Infinity;
  }
}

function succeeds(ready: () => boolean): boolean {
  try {
    return ready();
  } catch {
    return true;
  }
}
