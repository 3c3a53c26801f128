import {
  apiUsersFold,
  apiUsersStream,
  foldStream,
  type Clock,
  EventLogUnavailable,
  type EventReader,
  type LoadedState,
  type Every,
  problemOf,
  within,
} from '@rollcall/application';

import type { apiUsers } from '@rollcall/domain';
import type { FastifyBaseLogger } from 'fastify';

const refreshMs = 1_000;
/** A look that takes longer is given up. */
const longestLookMs = 4_000;
/** A call that finds the knowledge too old waits so long at most for a look of its own. */
const callWaitMs = 2_000;
/** So often a log that stays away is reported. */
const reportEveryMs = 60_000;
/** Refused within this time of a revocation, on every process (docs/contract, "Token"). */
export const maxRevocationAgeMs = 5_000;

export interface RevocationCacheDeps {
  readonly log: EventReader;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly every: Every;
}

/**
 * What this process knows of the stream `api-users`, kept fresh by its own timer. A look begins every second, also where
 * those before it have not ended: one that hangs holds up none.
 */
export class RevocationCache {
  readonly #deps: RevocationCacheDeps;
  #loaded: LoadedState<apiUsers.ApiUsersState> | undefined;
  #asOf = Number.NEGATIVE_INFINITY;
  #looks = 0;
  /** The newest look whose answer is known. */
  #newest = 0;
  #forCalls: Promise<void> | undefined;
  #stop: (() => void) | undefined;
  /** When the log was last reported away; undefined while it answers. */
  #reportedAt: number | undefined;

  constructor(deps: RevocationCacheDeps) {
    this.#deps = deps;
  }

  /** Reads once, then by the timer. A log that is away is no reason to fail: the knowledge is then not fresh. */
  async start(): Promise<void> {
    await this.#lookOrReport();
    this.#stop = this.#deps.every(refreshMs, () => {
      void this.#lookOrReport();
      return Promise.resolve();
    });
  }

  stop(): void {
    this.#stop?.();
  }

  /** The users, or undefined where they are from more than 5 s ago. A clock that was set back makes them stale too. */
  current(): apiUsers.ApiUsersState | undefined {
    const age = this.#deps.clock.now() - this.#asOf;
    return age >= 0 && age <= maxRevocationAgeMs ? this.#loaded?.state : undefined;
  }

  /** Reads what is new on the stream, within 2 s; calls at the same time share one reading. */
  refresh(): Promise<void> {
    return (this.#forCalls ??= this.#look(callWaitMs).finally(() => (this.#forCalls = undefined)));
  }

  async #look(mostMs: number): Promise<void> {
    const number = ++this.#looks;
    const asOf = this.#deps.clock.now();
    const reading = foldStream(this.#deps.log, apiUsersStream, apiUsersFold, this.#loaded);
    const loaded = await within(
      reading,
      mostMs,
      () => new EventLogUnavailable('the log does not answer in time'),
    );
    if (number < this.#newest) return;
    this.#newest = number;
    this.#loaded = loaded;
    this.#asOf = asOf;
  }

  async #lookOrReport(): Promise<void> {
    try {
      await this.#look(longestLookMs);
      if (this.#reportedAt !== undefined)
        this.#deps.logger.info('the API users can be read from the log again');
      this.#reportedAt = undefined;
    } catch (error) {
      this.#reportAway(error);
    }
  }

  /** The change with where it happened, then one line a minute. */
  #reportAway(error: unknown): void {
    const { clock, logger } = this.#deps;
    const now = clock.now();
    const before = this.#reportedAt;
    if (before !== undefined && Math.abs(now - before) < reportEveryMs) return;
    this.#reportedAt = now;
    if (before === undefined) logger.warn({ err: error }, 'cannot read the API users from the log');
    else logger.warn({ problem: problemOf(error) }, 'still cannot read the API users from the log');
  }
}
