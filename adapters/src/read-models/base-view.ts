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
} from '@rollcall/application';
import { ProgressWatch, type ProgressWatchOptions } from './progress-watch.js';

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
