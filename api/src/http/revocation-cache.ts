import {
  apiUsersFold,
  apiUsersStream,
  foldStream,
  type Clock,
  type EventReader,
  type LoadedState,
  type Every,
} from '@rollcall/application';

import type { apiUsers } from '@rollcall/domain';
import type { FastifyBaseLogger } from 'fastify';

const refreshMs = 1_000;
/** Refused within this time of a revocation, on every process (docs/contract, "Token"). */
export const maxRevocationAgeMs = 5_000;

export interface RevocationCacheDeps {
  readonly log: EventReader;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly every: Every;
}

/** What this process knows of the stream `api-users`, kept fresh by its own timer. */
export class RevocationCache {
  readonly #deps: RevocationCacheDeps;
  #loaded: LoadedState<apiUsers.ApiUsersState> | undefined;
  #asOf = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | undefined;
  #stop: (() => void) | undefined;

  constructor(deps: RevocationCacheDeps) {
    this.#deps = deps;
  }

  /** Reads once, then by the timer. A log that is away is no reason to fail: the knowledge is then not fresh. */
  async start(): Promise<void> {
    await this.#refreshOrWarn();
    this.#stop = this.#deps.every(refreshMs, () => this.#refreshOrWarn());
  }

  stop(): void {
    this.#stop?.();
  }

  /** The users, or undefined where they are from more than 5 s ago. A clock that was set back makes them stale too. */
  current(): apiUsers.ApiUsersState | undefined {
    const age = this.#deps.clock.now() - this.#asOf;
    return age >= 0 && age <= maxRevocationAgeMs ? this.#loaded?.state : undefined;
  }

  /** Reads what is new on the stream; calls at the same time share one reading. */
  refresh(): Promise<void> {
    return (this.#refreshing ??= this.#read().finally(() => (this.#refreshing = undefined)));
  }

  async #read(): Promise<void> {
    const asOf = this.#deps.clock.now();
    this.#loaded = await foldStream(this.#deps.log, apiUsersStream, apiUsersFold, this.#loaded);
    this.#asOf = asOf;
  }

  async #refreshOrWarn(): Promise<void> {
    try {
      await this.refresh();
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'cannot read the API users from the log');
    }
  }
}
