import {
  wholeDelay,
  type Clock,
  type ConsumeOptions,
  type Delivery,
  type QueueDepth,
} from '@rollcall/application';
import { nameOf, type HintFolder } from './hint-folder.js';

const POLL_MS = 50;
/** While nothing is in memory and the folder is watched: for a change that the watch has missed. */
const WATCHED_POLL_MS = 500;

/** `use` passes ms since 1970, and rejects with `QueueUnavailable` once the handle is closed. */
export interface Owner {
  readonly ackDeadlineMs: number;
  readonly clock: Clock;
  use<T>(work: (now: number) => T): Promise<T>;
}

interface Message {
  readonly body: Buffer;
  attempts: number;
  dueAt: number;
  holder: { readonly owner: Owner } | undefined;
}

/** A queue of this process. Its waiting consumers get messages in memory; others lie in the folder for any process. */
export class Hints {
  readonly owners = new Set<Owner>();
  readonly #folder: HintFolder;
  readonly #messages = new Set<Message>();
  /** Waiting consumers; true: one more message fits. */
  readonly #waiters = new Map<() => void, boolean>();

  constructor(folder: HintFolder) {
    this.#folder = folder;
  }

  publish(body: Buffer): void {
    this.#removeEqual(body);
    const ready = [...this.#waiters].find(([, hasRoom]) => hasRoom)?.[0];
    if (ready === undefined) this.#folder.put(body);
    else this.#messages.add({ body, attempts: 0, dueAt: 0, holder: undefined });
    ready?.();
  }

  /** Takes one message at a time, so that the others stay available to every consumer. */
  async *consume(owner: Owner, { signal, maxUnsettled }: ConsumeOptions): AsyncGenerator<Delivery> {
    let mine: { readonly message: Message; readonly holder: object }[] = [];
    while (!signal.aborted) {
      const now = owner.clock.now();
      mine = mine.filter(({ message, holder }) => message.holder === holder && message.dueAt > now);
      const message = mine.length < maxUnsettled ? this.#take(now) : undefined;
      if (message === undefined) await this.#change(mine.length < maxUnsettled, signal);
      else {
        const holder = { owner };
        Object.assign(message, { holder, dueAt: now + owner.ackDeadlineMs, attempts: message.attempts + 1 });
        mine.push({ message, holder });
        yield this.#deliveryOf(message, holder);
      }
    }
  }

  /** Releases what the handle holds. The last handle releases everything, so that other processes find it. */
  release(owner: Owner): void {
    this.owners.delete(owner);
    const isLast = this.owners.size === 0;
    if (isLast) this.#folder.unwatch();
    for (const message of [...this.#messages].filter(({ holder }) => isLast || holder?.owner === owner)) {
      this.#messages.delete(message);
      this.publish(message.body);
    }
  }

  depth(): QueueDepth {
    const unsettled = [...this.#messages].filter(({ holder }) => holder !== undefined).length;
    return { waiting: this.#folder.names().length + this.#messages.size - unsettled, unsettled };
  }

  #deliveryOf(message: Message, holder: { readonly owner: Owner }): Delivery {
    const { owner } = holder;
    const settle = (change: (now: number) => void): Promise<void> =>
      owner.use((now) => {
        if (message.holder === holder) change(now);
        this.#wakeAll();
      });
    const remove = (): Promise<void> =>
      settle(() => {
        message.holder = undefined;
        this.#messages.delete(message);
      });
    return {
      body: message.body,
      attempt: message.attempts,
      ack: remove,
      term: remove,
      nak: (delayMs) =>
        settle((now) => {
          const dueAt = now + wholeDelay(delayMs);
          message.dueAt = Math.min(dueAt, this.#removeEqual(message.body) ?? dueAt);
          message.holder = undefined;
        }),
      working: () => settle((now) => (message.dueAt = now + owner.ackDeadlineMs)),
    };
  }

  /** An equal waiting message is taken with it. */
  #take(now: number): Message | undefined {
    const due = [...this.#messages].find(({ dueAt }) => dueAt <= now);
    const body = due?.body ?? this.#folder.claim();
    if (body === undefined) return undefined;
    this.#removeEqual(body);
    const message = due ?? { body, attempts: 0, dueAt: now, holder: undefined };
    this.#messages.add(message);
    return message;
  }

  /** Removes a waiting message with this body. Returns when it was due; undefined if there was none. */
  #removeEqual(body: Buffer): number | undefined {
    const known = [...this.#messages].find((one) => one.holder === undefined && one.body.equals(body));
    if (known !== undefined) this.#messages.delete(known);
    return this.#folder.claim([nameOf(body)]) ? 0 : known?.dueAt;
  }

  #wakeAll(): void {
    for (const wake of [...this.#waiters.keys()]) wake();
  }

  #change(hasRoom: boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(poll);
        this.#waiters.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const isWatched = this.#folder.watch(() => this.#wakeAll());
      const poll = setTimeout(wake, isWatched && this.#messages.size === 0 ? WATCHED_POLL_MS : POLL_MS);
      this.#waiters.set(wake, hasRoom);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}
