import {
  fromJson,
  type DocumentKey,
  type DocumentWrite,
  type FindOptions,
  type Position,
  type Progress,
  type StoredDocument,
  type StreamDocument,
  type TakeValue,
  SingleFlight,
} from '@rollcall/application';
import { ProcessHint } from '../waiters.js';

type Awaited = { readonly stream: string; readonly revision: number } | { readonly position: Position };

interface Applied {
  readonly position?: Position | undefined;
  readonly streams: ReadonlyMap<string, number>;
}

interface Waiter {
  readonly awaited: Awaited;
  readonly settle: (reached: boolean) => void;
}

interface ProgressWatchOptions {
  readonly read: (streams: readonly string[], position: boolean) => Promise<Applied>;
  readonly pollMs: number;
  /** Identifies a store that threads share. */
  readonly hintName?: string | undefined;
}

/** This process reports its progress by hints; other processes are polled during a wait. In an outage nothing is reached. */
class ProgressWatch {
  readonly #waiters = new Set<Waiter>();
  readonly #pollMs: number;
  readonly #read: ProgressWatchOptions['read'];
  readonly #look = new SingleFlight(() => this.#lookFor([...this.#waiters]));
  /** Not looked for yet: the others wait for progress. */
  #unseen: Waiter[] = [];
  readonly #lookForNew = new SingleFlight(() => this.#lookFor(this.#unseen.splice(0)));
  readonly #hint: ProcessHint | undefined;
  #poll: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ read, pollMs, hintName }: ProgressWatchOptions) {
    this.#pollMs = pollMs;
    this.#read = read;
    this.#hint = hintName === undefined ? undefined : new ProcessHint(hintName, () => this.#hinted());
  }

  /** True once applied, false at the timeout or on closing; throws where a single read finds an outage. */
  async reached(awaited: Awaited, timeoutMs: number): Promise<boolean> {
    if (this.#closed) return false;
    if (timeoutMs > 0) return this.#wait(awaited, timeoutMs);
    const streams = 'stream' in awaited ? [awaited.stream] : [];
    return isApplied(awaited, await this.#read(streams, 'position' in awaited));
  }

  advanced(applied: Applied): void {
    this.#settle(applied);
    this.#hint?.wake();
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
      this.#unseen.push(waiter);
      this.#lookBy(this.#lookForNew);
    });
  }

  /** The store is not polled while hints come. */
  #hinted(): void {
    this.#poll?.refresh();
    this.#lookForAll();
  }

  #lookForAll(): void {
    if (this.#waiters.size > 0) this.#lookBy(this.#look);
  }

  #lookBy(look: SingleFlight<void>): void {
    this.#hint?.listen();
    // Repeated at the next poll.
    look.once().catch(() => undefined);
  }

  async #lookFor(waiters: readonly Waiter[]): Promise<void> {
    const awaited = waiters.map((waiter) => waiter.awaited);
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

const STREAMS = 'streams';

export abstract class BaseView {
  protected readonly watch: ProgressWatch;

  constructor({ pollMs, hintName }: Omit<ProgressWatchOptions, 'read'>) {
    const read = async (streams: readonly string[], position: boolean) => ({
      streams: streams.length === 0 ? new Map<string, number>() : await this.#appliedTo(streams),
      ...(position && { position: (await this.progress()).position }),
    });
    this.watch = new ProgressWatch({ read, pollMs, hintName });
  }

  abstract findBatches(collection: string, options: FindOptions): AsyncGenerator<readonly StoredDocument[]>;
  abstract progress(): Promise<Progress>;
  /** `ReadModelsUnavailable` where the store is closed. */
  protected abstract checkOpen(): void;
  abstract getMany<T>(
    collection: string,
    keys: readonly DocumentKey[],
    take: TakeValue<T>,
  ): Promise<readonly T[]>;

  async get(collection: string, key: DocumentKey): Promise<Uint8Array | undefined> {
    const [value] = await this.getMany(collection, [key], (found) => found && Buffer.from(found));
    return value;
  }

  async *find(collection: string, options: FindOptions): AsyncGenerator<StoredDocument> {
    for await (const batch of this.findBatches(collection, options)) {
      for (const document of batch) yield document;
    }
  }

  async reached(stream: string, revision: number, timeoutMs: number): Promise<boolean> {
    this.checkOpen();
    return this.watch.reached({ stream, revision }, timeoutMs);
  }

  async reachedPosition(position: Position, timeoutMs: number): Promise<boolean> {
    this.checkOpen();
    return this.watch.reached({ position }, timeoutMs);
  }

  /** All present and later waiters get false. */
  stopWaiting(): void {
    this.watch.close();
  }

  /** Wakes the waiters for these writes and this progress. */
  protected written(stages: readonly (readonly DocumentWrite[])[], position?: Position): void {
    const streams = new Map<string, number>();
    for (const write of stages.flat())
      if (write.collection === STREAMS && write.op === 'put')
        streams.set(String(write.key[0]), write.revision);
    if (streams.size > 0 || position !== undefined) this.watch.advanced({ position, streams });
  }

  async #appliedTo(streams: readonly string[]): Promise<Map<string, number>> {
    const applied = new Map<string, number>();
    const keys = streams.map((stream): DocumentKey => [stream]);
    await this.getMany(STREAMS, keys, (value, at) => {
      const head = fromJson(value) as StreamDocument | undefined;
      if (head !== undefined) applied.set(streams[at] ?? '', head.revision);
    });
    return applied;
  }
}

export function ensureForward({ position: from }: Progress, { position: to }: Progress): void {
  if (from !== undefined && (to === undefined || to < from))
    throw new Error('the progress of read models only grows');
}
