import { companyStateBytes, type CompanyState } from '@rollcall/domain';
import type { LoadedState } from '../event-store/fold.js';
import { LruCache } from '../lru-cache.js';

/** An older state never takes the place of a newer one. */
export class CachedStates {
  readonly #states: LruCache<string, LoadedState<CompanyState>>;

  constructor(maxBytes: number) {
    this.#states = new LruCache({ most: maxBytes, sizeOf: ({ state }) => companyStateBytes(state) });
  }

  get(stream: string): LoadedState<CompanyState> | undefined {
    return this.#states.get(stream);
  }

  put(stream: string, loaded: LoadedState<CompanyState>): void {
    if (revisionOf(loaded) >= revisionOf(this.get(stream))) this.#states.set(stream, loaded);
  }

  forget(stream: string): void {
    this.#states.delete(stream);
  }
}

const revisionOf = (loaded: LoadedState<CompanyState> | undefined): number =>
  typeof loaded?.head.revision === 'number' ? loaded.head.revision : -1;
