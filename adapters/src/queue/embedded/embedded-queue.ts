import { resolve, join } from 'node:path';
import {
  ACK_DEADLINE_MS,
  checkBody,
  checkMaxUnsettled,
  QueueUnavailable,
  type Clock,
  type Queue,
  wholeDelay,
  type ConsumeOptions,
  type Delivery,
  type QueueDepth,
} from '@rollcall/application';
import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  watch,
  writeFileSync,
  type FSWatcher,
} from 'node:fs';
import { removeLeftovers } from '../../leftovers.js';

const POLL_MS = 50;
/** While nothing is in memory and the folder is watched: for a change that the watch has missed. */
const WATCHED_POLL_MS = 500;

/** `use` passes ms since 1970, and rejects with `QueueUnavailable` once the handle is closed. */
interface Owner {
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
class Hints {
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

  /** Releases what the handle holds. The last one releases everything to other processes. Throws where the folder is full. */
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
    return this.#folder.claimNamed(nameOf(body)) ? 0 : known?.dueAt;
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

const nameOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

const maxWriteMs = 60_000;

/** A queue's messages outside process memory, as files named by body: equal ones merge. Unsynced. `QueueUnavailable`. */
class HintFolder {
  readonly #folder: string;
  /** Of this thread alone. The next message replaces what a failed one has left. */
  readonly #temporary: string;
  #listed: string[] = [];
  #watcher: { readonly inode: number; readonly events: FSWatcher } | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.#temporary = join(folder, `.${randomUUID()}`);
    this.#use(() => mkdirSync(folder, { recursive: true, mode: 0o700 }));
    removeLeftovers(folder, /^\.[0-9a-f-]{36}$/, maxWriteMs);
  }

  put(body: Buffer): void {
    this.#use(() => {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(this.#temporary, body, { mode: 0o600 });
      renameSync(this.#temporary, join(this.#folder, nameOf(body)));
    });
  }

  /** Takes a message. The folder is listed again once none is left of those that stood there the last time. */
  claim(): Buffer | undefined {
    const body = this.#claimListed();
    if (body !== undefined) return body;
    this.#listed = this.names();
    return this.#claimListed();
  }

  #claimListed(): Buffer | undefined {
    for (let name = this.#listed.pop(); name !== undefined; name = this.#listed.pop()) {
      const body = this.claimNamed(name);
      if (body !== undefined) return body;
    }
    return undefined;
  }

  /** Takes this message if it exists. The process that unlinks the file owns it. */
  claimNamed(name: string): Buffer | undefined {
    const path = join(this.#folder, name);
    if (!existsSync(path)) return undefined;
    return this.#use(() => [readFileSync(path), unlinkSync(path)] as const)?.[0];
  }

  names(): string[] {
    return this.#use(() => readdirSync(this.#folder))?.filter((name) => !name.startsWith('.')) ?? [];
  }

  /** Calls `changed` when any process has changed the folder. True: each change since the last call was reported. */
  watch(changed: () => void): boolean {
    try {
      const inode = statSync(this.#folder).ino;
      if (inode === this.#watcher?.inode) return true;
      this.unwatch();
      const events = watch(this.#folder, { persistent: false }, changed);
      events.on('error', () => this.unwatch());
      this.#watcher = { inode, events };
    } catch {
      this.unwatch();
    }
    return false;
  }

  unwatch(): void {
    this.#watcher?.events.close();
    this.#watcher = undefined;
  }

  #use<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
      throw new QueueUnavailable(`The queue in ${this.#folder} cannot be used`, { cause });
    }
  }
}

export interface EmbeddedQueueOptions {
  /** A folder of its own, created if missing. Processes of one host may share it. */
  readonly folder: string;
  readonly ackDeadlineMs?: number;
  readonly clock?: Clock;
}

const shared = new Map<string, Hints>();

/** The in-memory queue (docs/queue.md): what a killed process held is lost. `QueueUnavailable` for an unusable folder. */
export const openEmbeddedQueue = (options: EmbeddedQueueOptions): Promise<Queue> =>
  new Promise((opened) => opened(queueIn(options)));

function queueIn(options: EmbeddedQueueOptions): Queue {
  const { folder, ackDeadlineMs = ACK_DEADLINE_MS, clock = performance } = options;
  const closing = new AbortController();
  const use = <T>(work: (now: number) => T): Promise<T> =>
    new Promise((done) => {
      if (closing.signal.aborted) throw new QueueUnavailable('The queue is closed');
      done(work(clock.now()));
    });
  const owner = { ackDeadlineMs, clock, use };
  const hints = {
    imports: hintsIn(resolve(folder, 'imports'), owner),
    invitations: hintsIn(resolve(folder, 'invitations'), owner),
  };
  return {
    ackDeadlineMs,
    publish: (queue, body) =>
      use(() => {
        checkBody(body);
        hints[queue].publish(Buffer.from(body));
      }),
    consume: (queue, { signal, maxUnsettled }) => {
      checkMaxUnsettled(maxUnsettled);
      return hints[queue].consume(owner, { signal: AbortSignal.any([signal, closing.signal]), maxUnsettled });
    },
    depth: (queue) => use(() => hints[queue].depth()),
    close: async () => {
      closing.abort();
      const release = (queue: Hints) => new Promise<void>((done) => done(queue.release(owner)));
      await Promise.allSettled(Object.values(hints).map(release));
    },
  };
}

function hintsIn(folder: string, owner: Owner): Hints {
  const hints = shared.get(folder) ?? new Hints(new HintFolder(folder));
  shared.set(folder, hints);
  hints.owners.add(owner);
  return hints;
}
