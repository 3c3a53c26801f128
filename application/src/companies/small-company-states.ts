import {
  companyStateBytes,
  type CompanyState,
  decodeCompanyState,
  encodeCompanyState,
  managers,
} from '@rollcall/domain';
import type { LoadedState, StateStore } from '../event-store/fold.js';
import { CachedStates } from './cached-states.js';

/**
 * What a decision costs grows with the set that it compares with: where all of these leave, that is 2 ms, three times as much
 * before the code is compiled, and an event loop stands still for no longer. Who has more hardly ever sends a small list.
 */
const mostEmployees = 500;
/** The same of managers, in bytes of memory. */
const mostManagerBytes = 64 * 1024;
/** So much memory is decoded in a millisecond or two; what weighs besides, kept keys, costs a decision nothing. */
const mostToldBytes = 512 * 1024;

const isSmall = (state: CompanyState): boolean =>
  state.employees.count <= mostEmployees && managers.stateBytes(state.managers) <= mostManagerBytes;

/** A state on its way between threads. */
export interface ToldState extends Pick<LoadedState<CompanyState>, 'head'> {
  readonly bytes: Uint8Array;
}

/** The state, where it is small enough for `SmallCompanyStates` of another thread. */
export function toldState(loaded: LoadedState<CompanyState> | undefined): ToldState | undefined {
  if (loaded === undefined || !isSmall(loaded.state) || companyStateBytes(loaded.state) > mostToldBytes)
    return undefined;
  return { head: loaded.head, bytes: encodeCompanyState(loaded.state) };
}

/**
 * States of which any decision takes a few milliseconds, for the thread of an event loop. It loads none by itself: they
 * come from a thread that has, and from decisions made on them.
 */
export class SmallCompanyStates implements StateStore<CompanyState> {
  readonly #states: CachedStates;

  /** How much they may weigh together. */
  constructor(mostBytes: number) {
    this.#states = new CachedStates(mostBytes);
  }

  get(stream: string): LoadedState<CompanyState> | undefined {
    return this.#states.get(stream);
  }

  put(stream: string, loaded: LoadedState<CompanyState>): void {
    if (isSmall(loaded.state)) this.#states.put(stream, loaded);
    else this.#states.forget(stream);
  }

  /** What a thread knows of the stream: nothing where that is too large. */
  take(stream: string, told: ToldState | undefined): void {
    const state = told && decodeCompanyState(told.bytes);
    if (told === undefined || state === undefined) this.#states.forget(stream);
    else this.#states.put(stream, { state, head: told.head });
  }
}
