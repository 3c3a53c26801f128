import {
  companyStateBytes,
  companyStateVersion,
  type CompanyState,
  decodeCompanyState,
  type Digester,
  hasSoundDigest,
} from '@rollcall/domain';
import type { LoadedState, StateStore } from '../event-store/fold.js';
import type { ReadModelReader, StateSnapshot } from '../ports/read-models.js';

export interface CompanyStateCacheOptions {
  readonly readModels: Pick<ReadModelReader, 'readSnapshot'>;
  readonly digester: Digester;
  /** How much the states held in memory may weigh together. */
  readonly cacheBytes: number;
  /** Notified when a snapshot was unusable: the state is then folded from an older place. */
  readonly onUnusable?: (stream: string) => void;
}

/**
 * Company states in memory, the longest unused going first, and beneath them the snapshots of the read-model store.
 * Either may be stale: whoever asks folds on from there, or appends and is told so. A snapshot that does not fit the log is
 * not used (design: "Deciding", 1).
 */
export class CompanyStateCache implements StateStore<CompanyState> {
  readonly #options: CompanyStateCacheOptions;
  readonly #cache = new Map<string, { readonly loaded: LoadedState<CompanyState>; readonly bytes: number }>();
  #bytes = 0;

  constructor(options: CompanyStateCacheOptions) {
    this.#options = options;
  }

  get(stream: string): LoadedState<CompanyState> | undefined {
    return this.#cache.get(stream)?.loaded;
  }

  put(stream: string, loaded: LoadedState<CompanyState>): void {
    if (revisionOf(loaded) < revisionOf(this.get(stream))) return;
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

  async snapshot(stream: string, behind: number): Promise<LoadedState<CompanyState> | undefined> {
    const snapshot = await this.#options.readModels.readSnapshot(stream, companyStateVersion);
    if (snapshot === undefined || snapshot.revision <= behind) return undefined;
    const state = this.#soundState(snapshot);
    if (state === undefined) {
      this.unfit(stream);
      return undefined;
    }
    const { revision, chain, recordedAt } = snapshot;
    return { state, head: { revision, chain, recordedAt } };
  }

  unfit(stream: string): void {
    this.#options.onUnusable?.(stream);
  }

  #soundState({ bytes }: StateSnapshot): CompanyState | undefined {
    const state = decodeCompanyState(bytes);
    return state && hasSoundDigest(state.employees, this.#options.digester) ? state : undefined;
  }
}

const revisionOf = (loaded: LoadedState<CompanyState> | undefined): number =>
  typeof loaded?.head.revision === 'number' ? loaded.head.revision : -1;
