import {
  companyStateBytes,
  companyStateVersion,
  type CompanyState,
  decodeCompanyState,
  type Digester,
  hasSoundDigest,
} from '@rollcall/domain';
import type { LoadedState, StateStore } from '../event-store/fold.js';
import { storedMetadata } from '../event-store/loaded-event.js';
import type { EventReader, RecordedEvent } from '../ports/event-log.js';
import type { ReadModelReader, StateSnapshot } from '../ports/read-models.js';

export interface CompanyStateCacheOptions {
  readonly log: EventReader;
  readonly readModels: Pick<ReadModelReader, 'readSnapshot'>;
  readonly digester: Digester;
  /** How much the states held in memory may weigh together. */
  readonly cacheBytes: number;
  /** Notified when a snapshot was unusable: the state is then folded from an older place. */
  readonly onUnusable?: (stream: string) => void;
}

/**
 * Company states in memory, the longest unused going first, and beneath them the snapshots of the read-model store.
 * Either may be stale: whoever asks folds on from there. A snapshot that does not fit the log is not used
 * (design: "Deciding", 1).
 */
export class CompanyStateCache implements StateStore<CompanyState> {
  readonly #options: CompanyStateCacheOptions;
  readonly #cache = new Map<string, { readonly loaded: LoadedState<CompanyState>; readonly bytes: number }>();
  #bytes = 0;

  constructor(options: CompanyStateCacheOptions) {
    this.#options = options;
  }

  async get(stream: string): Promise<LoadedState<CompanyState> | undefined> {
    const cached = this.#cache.get(stream);
    const last = await this.#options.log.readLast(stream);
    if (last === undefined || cached?.loaded.head.revision === last.revision) return cached?.loaded;
    const fromSnapshot = await this.#fromSnapshot(stream, cached?.loaded);
    return fromSnapshot ?? cached?.loaded;
  }

  put(stream: string, loaded: LoadedState<CompanyState>): void {
    const bytes = companyStateBytes(loaded.state);
    this.#bytes += bytes - (this.#cache.get(stream)?.bytes ?? 0);
    this.#cache.delete(stream);
    this.#cache.set(stream, { loaded, bytes });
    for (const [oldest, entry] of this.#cache) {
      if (this.#bytes <= this.#options.cacheBytes || oldest === stream) break;
      this.#cache.delete(oldest);
      this.#bytes -= entry.bytes;
    }
  }

  /** The snapshot's state where it is newer than the cached one and holds what the log says. */
  async #fromSnapshot(
    stream: string,
    cached: LoadedState<CompanyState> | undefined,
  ): Promise<LoadedState<CompanyState> | undefined> {
    const snapshot = await this.#options.readModels.readSnapshot(stream, companyStateVersion);
    if (snapshot === undefined || snapshot.revision <= revisionOf(cached)) return undefined;
    const state = await this.#soundState(snapshot);
    if (state === undefined) {
      this.#options.onUnusable?.(stream);
      return undefined;
    }
    const { revision, chain, recordedAt } = snapshot;
    return { state, head: { revision, chain, recordedAt } };
  }

  async #soundState(snapshot: StateSnapshot): Promise<CompanyState | undefined> {
    const state = decodeCompanyState(snapshot.bytes);
    if (state === undefined || !(await this.#fitsLog(snapshot))) return undefined;
    return hasSoundDigest(state.employees, this.#options.digester) ? state : undefined;
  }

  async #fitsLog({ stream, revision, chain }: StateSnapshot): Promise<boolean> {
    const event = await eventAt(this.#options.log, stream, revision);
    return event !== undefined && storedMetadata(event).chain === chain;
  }
}

const revisionOf = (loaded: LoadedState<CompanyState> | undefined): number =>
  typeof loaded?.head.revision === 'number' ? loaded.head.revision : -1;

async function eventAt(
  log: EventReader,
  stream: string,
  revision: number,
): Promise<RecordedEvent | undefined> {
  for await (const event of log.readStream(stream, { from: revision, limit: 1 })) return event;
  return undefined;
}
