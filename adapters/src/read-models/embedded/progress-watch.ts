import { BroadcastChannel } from 'node:worker_threads';
import type { Position } from '@rollcall/application';

interface Waiter {
  readonly position: Position;
  readonly settle: (reached: boolean) => void;
}

export interface ProgressWatchOptions {
  /** Reads the applied position from the store, from a fresh snapshot. */
  readonly read: () => Position | undefined;
  /** How often another process is looked for while somebody waits. */
  readonly pollMs: number;
  /** Names the channel to other threads of this process. */
  readonly channel: string;
}

/**
 * One watch for all who wait in a thread. It hears of what is applied here and, by a channel, in other threads of the
 * process; for other processes it looks into the store while, and only while, somebody waits.
 */
export class ProgressWatch {
  readonly #options: ProgressWatchOptions;
  readonly #waiters = new Set<Waiter>();
  readonly #channel: BroadcastChannel;
  #known: Position | undefined;
  #poll: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: ProgressWatchOptions) {
    this.#options = options;
    this.#channel = new BroadcastChannel(options.channel);
    this.#channel.onmessage = (message: unknown) => this.#heard(message);
    this.#channel.unref();
  }

  /** True once `position` is applied, false at the time-out or when the store closes. */
  async reached(position: Position, timeoutMs: number): Promise<boolean> {
    if (this.#isKnown(position) || this.#look(position)) return true;
    if (this.#closed || timeoutMs <= 0) return false;
    return new Promise((resolve) => {
      const waiter: Waiter = {
        position,
        settle: (reached) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          if (this.#waiters.size === 0) this.#stopPolling();
          resolve(reached);
        },
      };
      const timer = setTimeout(() => waiter.settle(this.#look(position)), timeoutMs);
      this.#waiters.add(waiter);
      this.#poll ??= setInterval(() => this.#lookForAll(), this.#options.pollMs);
    });
  }

  /** Tells this thread and the others what was just applied. */
  advanced(position: Position | undefined): void {
    if (position === undefined || this.#isKnown(position)) return;
    this.#settleUpTo(position);
    if (!this.#closed) this.#channel.postMessage(position);
  }

  /** Another generation may stand elsewhere: nothing is known any more. */
  forget(): void {
    this.#known = undefined;
  }

  close(): void {
    this.#closed = true;
    for (const waiter of [...this.#waiters]) waiter.settle(false);
    this.#channel.close();
  }

  #heard(message: unknown): void {
    if (typeof message !== 'object' || message === null || !('data' in message)) return;
    if (typeof message.data === 'bigint') this.#lookForAll();
  }

  #lookForAll(): void {
    if (this.#waiters.size === 0 || this.#closed) return;
    const position = this.#options.read();
    if (position !== undefined) this.#settleUpTo(position);
  }

  #look(position: Position): boolean {
    if (this.#closed) return false;
    const applied = this.#options.read();
    if (applied === undefined || applied < position) return false;
    this.#settleUpTo(applied);
    return true;
  }

  #isKnown(position: Position): boolean {
    return this.#known !== undefined && this.#known >= position;
  }

  #settleUpTo(position: Position): void {
    this.#known = position;
    for (const waiter of [...this.#waiters]) if (waiter.position <= position) waiter.settle(true);
  }

  #stopPolling(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
  }
}
