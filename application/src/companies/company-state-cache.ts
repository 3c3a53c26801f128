import { companyStateVersion, type CompanyState, decodeCompanyState } from '@rollcall/domain';
import type { Digester } from '@rollcall/employee-lists';
import { hasSoundDigest } from '@rollcall/employee-lists/set';
import { CachedStates } from './cached-states.js';
import type { LoadedState, StateStore } from '../event-store/fold.js';
import { isOutage } from '../ports/problems.js';
import type { StateSnapshot, StateSnapshots } from '../ports/state-snapshots.js';

export interface CompanyStateCacheOptions {
  readonly snapshots: Pick<StateSnapshots, 'newest'>;
  readonly digester: Digester;
  readonly cacheBytes: number;
  /** Called when a snapshot, or its store, is unusable: folding then starts earlier. */
  readonly onUnusable?: (stream: string) => void;
}

/** An LRU cache above the snapshots. Both may be stale: callers fold on or append (design: "Deciding", 1). */
export class CompanyStateCache implements StateStore<CompanyState> {
  readonly #options: CompanyStateCacheOptions;
  readonly #states: CachedStates;

  constructor(options: CompanyStateCacheOptions) {
    this.#options = options;
    this.#states = new CachedStates(options.cacheBytes);
  }

  get(stream: string): LoadedState<CompanyState> | undefined {
    return this.#states.get(stream);
  }

  put(stream: string, loaded: LoadedState<CompanyState>): void {
    this.#states.put(stream, loaded);
  }

  async snapshot(stream: string, behind: number): Promise<LoadedState<CompanyState> | undefined> {
    const snapshot = await this.#newest(stream);
    if (snapshot === undefined || (snapshot !== 'unusable' && snapshot.revision <= behind)) return undefined;
    const state = snapshot === 'unusable' ? undefined : this.#soundState(snapshot);
    if (snapshot === 'unusable' || state === undefined) {
      this.unfit(stream);
      return undefined;
    }
    const { revision, chain, recordedAt } = snapshot;
    return { state, head: { revision, chain, recordedAt } };
  }

  unfit(stream: string): void {
    this.#options.onUnusable?.(stream);
  }

  async #newest(stream: string): ReturnType<StateSnapshots['newest']> {
    try {
      return await this.#options.snapshots.newest(stream, companyStateVersion);
    } catch (error) {
      if (!isOutage(error)) throw error;
      return 'unusable';
    }
  }

  #soundState({ bytes }: StateSnapshot): CompanyState | undefined {
    const state = decodeCompanyState(bytes);
    return state && hasSoundDigest(state.employees, this.#options.digester) ? state : undefined;
  }
}
