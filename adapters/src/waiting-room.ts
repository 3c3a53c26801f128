import { BroadcastChannel } from 'node:worker_threads';

interface Waiter<T> {
  readonly ready: (seen: T) => boolean;
  readonly resolve: () => void;
}

export interface WaitingRoomOptions<T> {
  /** Names the store to other threads and handles of this process. */
  readonly channel: string;
  readonly pollMs: number;
  /** What is looked up once for all who wait. */
  readonly observe: () => T;
}

/**
 * Where those wait who are to know of a change in a store. What another process does is seen by polling, while and only
 * while somebody waits; what this process does comes with a hint, over a channel from its other threads and handles. A hint
 * that is lost costs one poll, nothing else.
 */
export class WaitingRoom<T = undefined> {
  readonly #pollMs: number;
  readonly #observe: () => T;
  readonly #channel: BroadcastChannel;
  readonly #waiters = new Set<Waiter<T>>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ channel, pollMs, observe }: WaitingRoomOptions<T>) {
    this.#pollMs = pollMs;
    this.#observe = observe;
    this.#channel = new BroadcastChannel(channel);
    this.#channel.unref();
    this.#channel.onmessage = () => this.look();
  }

  /** Resolves when `ready` says so, or when the signal aborts. A look that fails wakes too: the next use tells why. */
  wait(ready: (seen: T) => boolean, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#observed()(ready)) return Promise.resolve();
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
      this.#timer ??= setInterval(() => this.look(), this.#pollMs);
    });
  }

  /** Something changed here that others may wait for. */
  changed(): void {
    if (!this.#closed) this.#channel.postMessage(null);
    this.look();
  }

  look(): void {
    if (this.#waiters.size === 0) return;
    const isDue = this.#observed();
    for (const waiter of [...this.#waiters]) if (isDue(waiter.ready)) this.#wake(waiter);
  }

  close(): void {
    this.#closed = true;
    this.#channel.close();
  }

  #observed(): (ready: (seen: T) => boolean) => boolean {
    try {
      const seen = this.#observe();
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
