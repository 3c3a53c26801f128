import { setTimeout as sleep } from 'node:timers/promises';
import type {
  AwaitedEvent,
  FindOptions,
  LaggingStream,
  ParkedStream,
  Position,
  Progress,
  StoredDocument,
} from '@rollcall/application';
import { isLagging, isParked, type ParkedOrLagging } from './lagging.js';
import { ProgressWatch } from './progress-watch.js';

export interface BaseViewOptions {
  /** How often the store is looked into while somebody waits (ms). */
  readonly pollMs: number;
  /** As `ProgressWatch` wants it. */
  readonly hintName?: string;
}

/** What a generation of either store does alike. */
export abstract class BaseView {
  protected readonly watch: ProgressWatch;
  readonly #pollMs: number;

  constructor({ pollMs, hintName }: BaseViewOptions) {
    this.#pollMs = pollMs;
    const read = async (): Promise<Position | undefined> => (await this.progress()).position;
    this.watch = new ProgressWatch({ read, pollMs, ...(hintName !== undefined && { hintName }) });
  }

  abstract findBatches(collection: string, options: FindOptions): AsyncGenerator<readonly StoredDocument[]>;
  abstract progress(): Promise<Progress>;
  /** `ReadModelsUnavailable` where the store is closed. */
  protected abstract checkOpen(): void;
  /** The streams that are not projected with the others. */
  protected abstract apart(): Promise<readonly ParkedOrLagging[]>;

  async *find(collection: string, options: FindOptions): AsyncGenerator<StoredDocument> {
    for await (const batch of this.findBatches(collection, options)) {
      for (const document of batch) yield document;
    }
  }

  async parkedStreams(): Promise<readonly ParkedStream[]> {
    return (await this.apart()).filter(isParked);
  }

  async laggingStreams(): Promise<readonly LaggingStream[]> {
    return (await this.apart()).filter(isLagging);
  }

  /** Whether everything is taken and the stream, or each where none is named, is not behind, within so many milliseconds. */
  async reached(position: Position, timeoutMs: number, awaited?: AwaitedEvent): Promise<boolean> {
    this.checkOpen();
    const deadline = performance.now() + timeoutMs;
    if (!(await this.watch.reached(position, timeoutMs))) return false;
    let behind = await this.#behind(awaited);
    while (behind.length > 0) {
      if (isBehindEarlier(behind, awaited) || performance.now() >= deadline) return false;
      await sleep(this.#pollMs);
      behind = await this.#behind(awaited);
    }
    return true;
  }

  async #behind(awaited: AwaitedEvent | undefined): Promise<readonly LaggingStream[]> {
    const lagging = await this.laggingStreams();
    return awaited === undefined ? lagging : lagging.filter(({ stream }) => stream === awaited.stream);
  }
}

const isBehindEarlier = (behind: readonly LaggingStream[], awaited: AwaitedEvent | undefined): boolean =>
  awaited?.revision !== undefined && behind.some(({ revision }) => revision < (awaited.revision ?? 0));
