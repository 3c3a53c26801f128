import {
  companyStateBytes,
  type CompanyState,
  decodeCompanyState,
  encodeCompanyState,
  managers,
} from '@rollcall/domain';
import type { LoadedState, StateStore } from '../event-store/fold.js';
import { importLimits } from '../ports/import-limits.js';
import { CachedStates } from './cached-states.js';

const { employees, managerBytes, encodedBytes, cacheBytes } = importLimits.smallState;

const isSmall = (state: CompanyState): boolean =>
  state.employees.count <= employees && managers.stateBytes(state.managers) <= managerBytes;

export interface SharedState extends Pick<LoadedState<CompanyState>, 'head'> {
  readonly bytes: Uint8Array;
}

/** Undefined where the state is too large for another thread's `SmallCompanyStates`. */
export function stateToShare(loaded: LoadedState<CompanyState> | undefined): SharedState | undefined {
  if (loaded === undefined || !isSmall(loaded.state) || companyStateBytes(loaded.state) > encodedBytes)
    return undefined;
  return { head: loaded.head, bytes: encodeCompanyState(loaded.state) };
}

/** States for the event loop: decisions on them take a few milliseconds. Filled by the import threads and by decisions. */
export class SmallCompanyStates implements StateStore<CompanyState> {
  readonly #states = new CachedStates(cacheBytes);

  get(stream: string): LoadedState<CompanyState> | undefined {
    return this.#states.get(stream);
  }

  put(stream: string, loaded: LoadedState<CompanyState>): void {
    if (isSmall(loaded.state)) this.#states.put(stream, loaded);
    else this.#states.forget(stream);
  }

  /** `shared`: undefined where the thread's state is too large. */
  take(stream: string, shared: SharedState | undefined): void {
    const state = shared && decodeCompanyState(shared.bytes);
    if (shared === undefined || state === undefined) this.#states.forget(stream);
    else this.#states.put(stream, { state, head: shared.head });
  }
}
