import { BroadcastChannel } from 'node:worker_threads';
import { refresh } from './read.js';
import { lastPositionOf, type LogStore } from './store.js';

interface Waiter {
  readonly after: number;
  readonly resolve: () => void;
}

/** Tells those who wait that the log has grown. */
export interface Follower {
  /** Resolves when the last position is beyond `after`, when the signal aborts, or when the log closes. */
  waitBeyond(after: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/**
 * Other processes' commits are seen by polling the last position; commits of this process come with a hint,
 * over a channel where another thread or handle made them. A hint that is lost costs one poll, nothing else.
 */
export function openFollower(store: LogStore, pollMs: number): Follower {
  const waiters = new Set<Waiter>();
  let timer: NodeJS.Timeout | undefined;
  const channel = new BroadcastChannel(`rollcall-event-log:${store.folder}`);
  channel.unref();

  const settle = (due: (waiter: Waiter) => boolean): void => {
    for (const waiter of waiters) {
      if (!due(waiter)) continue;
      waiters.delete(waiter);
      waiter.resolve();
    }
    if (waiters.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
  const look = (): void => {
    if (waiters.size === 0) return;
    refresh(store);
    const last = lastPositionOf(store);
    settle((waiter) => waiter.after < last);
  };
  channel.onmessage = look;
  store.root.on('aftercommit', () => {
    channel.postMessage(null);
    setImmediate(look);
  });

  return {
    waitBeyond: (after, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const end = (): void => settle((waiter) => waiter === mine);
        const mine: Waiter = {
          after,
          resolve: () => {
            signal.removeEventListener('abort', end);
            resolve();
          },
        };
        signal.addEventListener('abort', end, { once: true });
        waiters.add(mine);
        timer ??= setInterval(look, pollMs);
        look();
      }),
    close: () => {
      settle(() => true);
      channel.close();
    },
  };
}
