import { BroadcastChannel } from 'node:worker_threads';
import { refresh } from './read.js';
import { lastPositionOf, type LogStore } from './store.js';

interface Waiter {
  readonly after: number;
  readonly resolve: () => void;
}

/** Tells those who wait that the log has grown. */
export interface Follower {
  /** Resolves when the last position is beyond `after`, or when the signal aborts. */
  waitBeyond(after: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/**
 * Other processes' commits are seen by polling the last position; commits of this process come with a hint,
 * over a channel where another thread or handle made them. A hint that is lost costs one poll, nothing else.
 */
export function openFollower(store: LogStore, pollMs: number): Follower {
  const room = new WaitingRoom(store, pollMs);
  const channel = new BroadcastChannel(`rollcall-event-log:${store.folder}`);
  channel.unref();
  channel.onmessage = () => room.look();
  store.root.on('aftercommit', () => {
    channel.postMessage(null);
    setImmediate(() => room.look());
  });
  return {
    waitBeyond: (after, signal) => room.waitBeyond(after, signal),
    close: () => channel.close(),
  };
}

class WaitingRoom {
  readonly #store: LogStore;
  readonly #pollMs: number;
  readonly #waiters = new Set<Waiter>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: LogStore, pollMs: number) {
    this.#store = store;
    this.#pollMs = pollMs;
  }

  waitBeyond(after: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => this.#settle((waiter) => waiter === mine);
      const mine: Waiter = {
        after,
        resolve: () => {
          signal.removeEventListener('abort', end);
          resolve();
        },
      };
      signal.addEventListener('abort', end, { once: true });
      this.#waiters.add(mine);
      this.#timer ??= setInterval(() => this.look(), this.#pollMs);
      this.look();
    });
  }

  look(): void {
    if (this.#waiters.size === 0) return;
    const last = this.#lastPosition();
    this.#settle((waiter) => waiter.after < last);
  }

  /** A log that cannot be read wakes everybody: their own reading tells them why. */
  #lastPosition(): number {
    try {
      refresh(this.#store);
      return lastPositionOf(this.#store);
    } catch {
      return Infinity;
    }
  }

  #settle(due: (waiter: Waiter) => boolean): void {
    for (const waiter of this.#waiters) {
      if (!due(waiter)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
    if (this.#waiters.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
