import { SingleFlight, type Position } from '@rollcall/application';
import { ProcessHint } from '../process-hint.js';

interface Waiter {
  readonly position: Position;
  readonly settle: (reached: boolean) => void;
}

export interface ProgressWatchOptions {
  /** Reads the applied position from the store. */
  readonly read: () => Promise<Position | undefined>;
  /** How often the store is looked into while somebody waits (ms). */
  readonly pollMs: number;
  /** Names the store to other threads of this process, where they share it. */
  readonly hintName?: string;
}

/**
 * One watch for all who wait in a thread. It is told of what is applied in any thread of the process; for all others it
 * looks into the store while, and only while, somebody waits. A store that is away has not reached anything.
 */
export class ProgressWatch {
  readonly #waiters = new Set<Waiter>();
  readonly #pollMs: number;
  readonly #look: SingleFlight<void>;
  readonly #hint: ProcessHint | undefined;
  #known: Position | undefined;
  #poll: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ read, pollMs, hintName }: ProgressWatchOptions) {
    this.#pollMs = pollMs;
    this.#look = new SingleFlight(async () => this.#settleUpTo(await read()));
    this.#hint = hintName === undefined ? undefined : new ProcessHint(hintName, () => this.#lookForAll());
  }

  /** True once `position` is applied, false at the time-out or when the store closes. */
  async reached(position: Position, timeoutMs: number): Promise<boolean> {
    if (this.#isKnown(position)) return true;
    if (this.#closed) return false;
    if (timeoutMs > 0) return this.#wait(position, timeoutMs);
    await this.#look.once();
    return this.#isKnown(position);
  }

  /** Tells this thread and the others what was just applied. */
  advanced(position: Position | undefined): void {
    if (position === undefined || this.#isKnown(position)) return;
    this.#settleUpTo(position);
    this.#hint?.tell();
  }

  /** Another generation may stand elsewhere: nothing is known any more. */
  forget(): void {
    this.#known = undefined;
  }

  close(): void {
    this.#closed = true;
    for (const waiter of [...this.#waiters]) waiter.settle(false);
  }

  #wait(position: Position, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        position,
        settle: (reached) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          if (this.#waiters.size === 0) clearInterval(this.#poll);
          resolve(reached);
        },
      };
      const timer = setTimeout(() => waiter.settle(false), timeoutMs);
      this.#waiters.add(waiter);
      if (this.#waiters.size === 1) this.#poll = setInterval(() => this.#lookForAll(), this.#pollMs);
      this.#lookForAll();
    });
  }

  #lookForAll(): void {
    if (this.#waiters.size === 0) return;
    this.#hint?.listen();
    // One that fails is made again at the next turn.
    this.#look.once().catch(() => undefined);
  }

  #settleUpTo(position: Position | undefined): void {
    if (position === undefined || this.#isKnown(position)) return;
    this.#known = position;
    for (const waiter of [...this.#waiters]) if (waiter.position <= position) waiter.settle(true);
  }

  #isKnown(position: Position): boolean {
    return this.#known !== undefined && this.#known >= position;
  }
}
