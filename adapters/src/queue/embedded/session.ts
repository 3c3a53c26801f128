import { type Clock, QueueUnavailable, type QueueDepth, type QueueName } from '@rollcall/application';
import { causeOfFailure } from '../../lmdb-errors.js';

import {
  depthOf,
  isDue,
  nextDue,
  putMessage,
  settleMessage,
  takeMessage,
  type Settlement,
  type TakenMessage,
} from './messages.js';
import type { ReopenableStore } from './reopenable-store.js';
import type { QueueStore } from './store.js';
import type { WaitingRoom } from '../../waiting-room.js';

export interface SessionParts {
  readonly live: ReopenableStore;
  readonly room: WaitingRoom;
  readonly clock: Clock;
  readonly ackDeadlineMs: number;
}

/** An open embedded queue: its store, and what its consumers hold. Every failure of the store is a `QueueUnavailable`. */
export class QueueSession {
  readonly room: WaitingRoom;
  readonly ackDeadlineMs: number;
  readonly #live: ReopenableStore;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  /** What was taken here and is not settled, with the deadline as it is known here. */
  readonly #held = new Map<TakenMessage, number>();
  readonly #writes = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  constructor(parts: SessionParts) {
    this.room = parts.room;
    this.ackDeadlineMs = parts.ackDeadlineMs;
    this.#live = parts.live;
    this.#clock = parts.clock;
  }

  /** Aborts when the queue closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  async publish(queue: QueueName, body: Buffer): Promise<void> {
    await this.#write((store) => putMessage(store, queue, body, this.#now()));
    this.room.changed();
  }

  isDue(queue: QueueName): boolean {
    return this.#live.isGone() || isDue(this.#live.current, queue, this.#now());
  }

  /** Milliseconds until the next message is due, 0 where one is; undefined where none waits. */
  dueIn(queue: QueueName): number | undefined {
    const next = this.#live.isGone() ? this.#now() : nextDue(this.#live.current, queue);
    return next === undefined ? undefined : Math.max(0, next - this.#now());
  }

  /** A look first: idle consumers do not write. */
  async take(queue: QueueName): Promise<TakenMessage | undefined> {
    if (!(await this.#read(() => this.isDue(queue)))) return undefined;
    this.#forgetExpired();
    return this.#write((store) => {
      const now = this.#now();
      const until = now + this.ackDeadlineMs;
      const taken = takeMessage(store, queue, now, until);
      if (taken !== undefined) this.#held.set(taken, until);
      return taken;
    });
  }

  /** Nothing happens where somebody else has the message by now, or nobody. */
  async settle(taken: TakenMessage, settlement: (now: number) => Settlement): Promise<void> {
    await this.#write((store) => {
      const chosen = settlement(this.#now());
      const done = settleMessage(store, taken, chosen);
      if (done && chosen.kind === 'held') this.#held.set(taken, chosen.until);
      else this.#held.delete(taken);
    });
    this.room.changed();
  }

  /** Whether the delivery still counts as unsettled here: its deadline has not passed. */
  holds(taken: TakenMessage): boolean {
    const until = this.#held.get(taken);
    return until !== undefined && until > this.#now();
  }

  async depth(queue: QueueName): Promise<QueueDepth> {
    const store = await this.#current();
    return this.#read(() => depthOf(store, queue));
  }

  /** Gives back at once whatever is held here. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#writes);
    try {
      await this.#giveBackAll();
    } catch {
      // What could not be given back comes again after its deadline.
    }
    this.room.changed();
    this.room.close();
    await this.#live.close();
  }

  async #giveBackAll(): Promise<void> {
    if (this.#held.size === 0) return;
    const store = this.#live.current;
    await store.root.transaction(() => {
      for (const taken of this.#held.keys()) {
        settleMessage(store, taken, { kind: 'again', at: this.#now() });
      }
    });
  }

  async #read<T>(work: () => T): Promise<T> {
    this.#ensureOpen();
    try {
      return await Promise.resolve(work());
    } catch (cause) {
      throw new QueueUnavailable(`The queue in ${this.#live.current.folder} could not be read`, { cause });
    }
  }

  async #write<T>(work: (store: QueueStore) => T): Promise<T> {
    const store = await this.#current();
    const write = store.root.transaction(() => work(store));
    this.#writes.add(write);
    try {
      return await write;
    } catch (error) {
      const cause = await causeOfFailure(error);
      throw new QueueUnavailable(`The queue in ${store.folder} could not be written`, { cause });
    } finally {
      this.#writes.delete(write);
    }
  }

  async #current(): Promise<QueueStore> {
    const gone = await this.#read(() => this.#live.isGone());
    if (gone) await this.#live.reopen(() => Promise.allSettled(this.#writes));
    this.#ensureOpen();
    return this.#live.current;
  }

  /** They come again by themselves, to whoever asks first. */
  #forgetExpired(): void {
    for (const taken of this.#held.keys()) if (!this.holds(taken)) this.#held.delete(taken);
  }

  #ensureOpen(): void {
    if (this.#closing.signal.aborted) throw new QueueUnavailable('The queue is closed');
  }

  #now(): number {
    return Math.floor(this.#clock.now());
  }
}
