import { companyStateBytes, type CompanyState } from '@rollcall/domain';
import type { LoadedState } from '../event-store/fold.js';

export class CachedStates {
  readonly #maxBytes: number;
  readonly #states = new Map<
    string,
    { readonly loaded: LoadedState<CompanyState>; readonly bytes: number }
  >();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(stream: string): LoadedState<CompanyState> | undefined {
    return this.#states.get(stream)?.loaded;
  }

  put(stream: string, loaded: LoadedState<CompanyState>): void {
    if (revisionOf(loaded) < revisionOf(this.get(stream))) return;
    this.forget(stream);
    const bytes = companyStateBytes(loaded.state);
    this.#bytes += bytes;
    this.#states.set(stream, { loaded, bytes });
    for (const oldest of this.#states.keys()) {
      if (this.#bytes <= this.#maxBytes || oldest === stream) break;
      this.forget(oldest);
    }
  }

  forget(stream: string): void {
    this.#bytes -= this.#states.get(stream)?.bytes ?? 0;
    this.#states.delete(stream);
  }
}

const revisionOf = (loaded: LoadedState<CompanyState> | undefined): number =>
  typeof loaded?.head.revision === 'number' ? loaded.head.revision : -1;
