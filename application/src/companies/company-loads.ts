import { companyFold } from './company-fold.js';
import { loadState } from '../event-store/load-state.js';
import type { CompanyStateCache } from './company-state-cache.js';
import type { EventReader } from '../ports/event-log.js';
import { SingleFlight } from '../single-flight.js';
import type { CompanyState } from '@rollcall/domain';
import type { Digester } from '@rollcall/employee-lists';

export interface CompanyLoadsOptions {
  readonly log: EventReader;
  readonly digester: Digester;
  readonly states: CompanyStateCache;
}

export class CompanyLoads {
  readonly #options: CompanyLoadsOptions;
  readonly #flights = new Map<number, SingleFlight<CompanyState>>();

  constructor(options: CompanyLoadsOptions) {
    this.#options = options;
  }

  /** Includes everything that was in the log at the call. Returns the same object while nothing new is appended. */
  load(companyId: number): Promise<CompanyState> {
    const flight = this.#flights.get(companyId) ?? new SingleFlight(() => this.#read(`company-${companyId}`));
    this.#flights.set(companyId, flight);
    const loaded = flight.once();
    const ended = (): void => {
      if (flight.isIdle && this.#flights.get(companyId) === flight) this.#flights.delete(companyId);
    };
    loaded.then(ended, ended);
    return loaded;
  }

  async #read(stream: string): Promise<CompanyState> {
    const { log, digester, states } = this.#options;
    return (await loadState({ log, stream, fold: companyFold(digester), store: states })).state;
  }
}
