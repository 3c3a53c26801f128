import { BroadcastChannel } from 'node:worker_threads';

interface Waiter {
  readonly ready: () => boolean;
  readonly resolve: () => void;
}

/**
 * Where idle consumers wait. Another process's messages and deadlines that pass are seen by polling, while and only while
 * somebody waits; what this process does comes with a hint, over a channel from its other threads and handles. A hint
 * that is lost costs one poll, nothing else.
 */
export class WaitingRoom {
  readonly #pollMs: number;
  readonly #channel: BroadcastChannel;
  readonly #waiters = new Set<Waiter>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(folder: string, pollMs: number) {
    this.#pollMs = pollMs;
    this.#channel = new BroadcastChannel(`rollcall-queue:${folder}`);
    this.#channel.unref();
    this.#channel.onmessage = () => this.look();
  }

  /** Resolves when `ready` says so, or when the signal aborts. A look that fails wakes too: the next use tells why. */
  wait(ready: () => boolean, signal: AbortSignal): Promise<void> {
    if (signal.aborted || succeeds(ready)) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => this.#wake(mine);
      const mine: Waiter = {
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
    for (const waiter of [...this.#waiters]) if (succeeds(waiter.ready)) this.#wake(waiter);
  }

  close(): void {
    this.#closed = true;
    this.#channel.close();
  }

  #wake(waiter: Waiter): void {
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
