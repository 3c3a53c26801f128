import {
  companyFold,
  CompanyStateCache,
  type EventReader,
  loadState,
  type LoadedEvent,
  problemOf,
  type ProcessLogger,
  type StateSnapshots,
} from '@rollcall/application/read';
import { companyStateVersion, type Digester, encodeCompanyState } from '@rollcall/domain';

export interface SnapshotsOptions {
  readonly log: EventReader;
  readonly snapshots: StateSnapshots;
  readonly digester: Digester;
  /** How much the states held in memory may weigh together. */
  readonly cacheBytes: number;
  readonly logger?: ProcessLogger;
}

/** A tail that is read in no time is not worth a snapshot. */
const leastTailBytes = 64 * 1024;

interface Tail {
  /** What was appended since the last snapshot. */
  tailBytes: number;
  snapshotBytes: number;
}

/**
 * Keeps state snapshots of companies: a new one when the events behind the last one weigh more than a quarter of it
 * (design: "Deciding", 1). They are made one after the other beside the projection, which does not wait for them: whoever
 * decides without one folds a longer tail.
 */
export class CompanySnapshots {
  readonly #options: SnapshotsOptions;
  readonly #states: CompanyStateCache;
  readonly #tails = new Map<string, Tail>();
  #work: Promise<void> = Promise.resolve();

  constructor(options: SnapshotsOptions) {
    this.#options = options;
    this.#states = new CompanyStateCache(options);
  }

  /** To be called with every applied event. */
  onApplied(event: LoadedEvent): void {
    if (!event.stream.startsWith('company-')) return;
    const tail = this.#tails.get(event.stream) ?? { tailBytes: 0, snapshotBytes: 0 };
    this.#tails.set(event.stream, tail);
    tail.tailBytes += event.size;
    if (tail.tailBytes < Math.max(leastTailBytes, tail.snapshotBytes / 4)) return;
    tail.tailBytes = 0;
    this.#work = this.#work.then(() => this.#snapshot(event.stream, tail));
  }

  /** Resolves when all snapshots that are due by now are written. */
  settled(): Promise<void> {
    return this.#work;
  }

  async #snapshot(stream: string, tail: Tail): Promise<void> {
    try {
      tail.snapshotBytes = await this.#write(stream);
    } catch (error) {
      this.#options.logger?.warn({ stream, problem: problemOf(error) }, 'no state snapshot was written');
    }
  }

  async #write(stream: string): Promise<number> {
    const { log, snapshots, digester } = this.#options;
    const loaded = await loadState({ log, stream, fold: companyFold(digester), store: this.#states });
    const { revision, chain, recordedAt } = loaded.head;
    if (revision === 'no-stream' || recordedAt === null) return 0;
    const bytes = encodeCompanyState(loaded.state);
    await snapshots.put({
      stream,
      revision,
      stateVersion: companyStateVersion,
      chain,
      recordedAt,
      bytes,
    });
    return bytes.length;
  }
}
