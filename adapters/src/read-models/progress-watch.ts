import { SingleFlight, type Position } from '@rollcall/application';
import { ProcessHint } from '../process-hint.js';

/** What somebody waits for: an event of a stream, or all that the log holds up to a position. */
export type Awaited =
  { readonly stream: string; readonly revision: number } | { readonly position: Position };

/** What a store has applied; a stream of which nothing is, is absent. */
export interface Applied {
  readonly position?: Position | undefined;
  readonly streams: ReadonlyMap<string, number>;
}

interface Waiter {
  readonly awaited: Awaited;
  readonly settle: (reached: boolean) => void;
}

export interface ProgressWatchOptions {
  /** Reads from the store how far these streams are applied, and the position where it is asked for. */
  readonly read: (streams: readonly string[], position: boolean) => Promise<Applied>;
  /** How often the store is looked into while somebody waits (ms). */
  readonly pollMs: number;
  /** Names the store to other threads of this process, where they share it. */
  readonly hintName?: string | undefined;
}

/**
 * One watch for all who wait in a thread. It is told of what is applied in any thread of the process; for all others it
 * looks into the store while, and only while, somebody waits. A store that is away has not reached anything.
 */
export class ProgressWatch {
  readonly #waiters = new Set<Waiter>();
  readonly #pollMs: number;
  readonly #read: ProgressWatchOptions['read'];
  readonly #look = new SingleFlight(() => this.#lookOnce());
  readonly #hint: ProcessHint | undefined;
  #poll: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ read, pollMs, hintName }: ProgressWatchOptions) {
    this.#pollMs = pollMs;
    this.#read = read;
    this.#hint = hintName === undefined ? undefined : new ProcessHint(hintName, () => this.#lookForAll());
  }

  /** True once it is applied, false at the time-out or when the store closes; an outage where nobody looks but this once. */
  async reached(awaited: Awaited, timeoutMs: number): Promise<boolean> {
    if (this.#closed) return false;
    if (timeoutMs > 0) return this.#wait(awaited, timeoutMs);
    const streams = 'stream' in awaited ? [awaited.stream] : [];
    return isApplied(awaited, await this.#read(streams, 'position' in awaited));
  }

  /** Tells this thread and the others what was just applied. */
  advanced(applied: Applied): void {
    this.#settle(applied);
    this.#hint?.tell();
  }

  close(): void {
    this.#closed = true;
    for (const waiter of [...this.#waiters]) waiter.settle(false);
  }

  #wait(awaited: Awaited, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        awaited,
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

  async #lookOnce(): Promise<void> {
    const awaited = [...this.#waiters].map((waiter) => waiter.awaited);
    const streams = new Set(awaited.flatMap((one) => ('stream' in one ? [one.stream] : [])));
    const position = awaited.some((one) => 'position' in one);
    this.#settle(await this.#read([...streams], position));
  }

  #settle(applied: Applied): void {
    for (const waiter of [...this.#waiters]) if (isApplied(waiter.awaited, applied)) waiter.settle(true);
  }
}

function isApplied(awaited: Awaited, { position, streams }: Applied): boolean {
  if ('position' in awaited) return position !== undefined && position >= awaited.position;
  const revision = streams.get(awaited.stream);
  return revision !== undefined && revision >= awaited.revision;
}
