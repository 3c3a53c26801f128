import { companyFold } from './company-fold.js';
import { foldStream } from '../event-store/fold.js';
import type { CompanyStateCache } from './company-state-cache.js';
import type { EventReader } from '../ports/event-log.js';
import type { CompanyState, Digester } from '@rollcall/domain';

export interface CompanyLoadsOptions {
  readonly log: EventReader;
  readonly digester: Digester;
  readonly states: CompanyStateCache;
}

interface Load {
  readonly running: Promise<CompanyState>;
  /** Begins when the running one has ended. */
  next: Promise<CompanyState> | undefined;
}

/** Company states at the head of the log. Many who ask at once share a load that begins after they asked. */
export class CompanyLoads {
  readonly #options: CompanyLoadsOptions;
  readonly #loads = new Map<number, Load>();

  constructor(options: CompanyLoadsOptions) {
    this.#options = options;
  }

  /** Everything that was in the log when this was called is in the state. The same object where nothing came since. */
  load(companyId: number): Promise<CompanyState> {
    const known = this.#loads.get(companyId);
    if (!known) return this.#begin(companyId);
    known.next ??= known.running.then(
      () => this.#begin(companyId),
      () => this.#begin(companyId),
    );
    return known.next;
  }

  #begin(companyId: number): Promise<CompanyState> {
    const running = this.#read(`company-${companyId}`);
    const load: Load = { running, next: undefined };
    this.#loads.set(companyId, load);
    const ended = (): void => {
      if (this.#loads.get(companyId) === load && load.next === undefined) this.#loads.delete(companyId);
    };
    running.then(ended, ended);
    return running;
  }

  async #read(stream: string): Promise<CompanyState> {
    const { log, digester, states } = this.#options;
    const loaded = await foldStream(log, stream, companyFold(digester), await states.get(stream));
    states.put(stream, loaded);
    return loaded.state;
  }
}
