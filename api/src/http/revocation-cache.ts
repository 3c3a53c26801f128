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
} from '@rollcall/application';

import type { apiUsers } from '@rollcall/domain';
import type { FastifyBaseLogger } from 'fastify';

const refreshMs = 1_000;
/** A look that takes longer is given up. */
const longestLookMs = 4_000;
/** A call that finds the knowledge too old waits so long at most for a look. */
const callWaitMs = 2_000;
/** The patience with a look is counted in steps of this length. */
const stepMs = 100;
/** So often a log that stays away is reported. */
const reportEveryMs = 60_000;
/** Refused within this time of a revocation, on every process (docs/contract, "Token"). */
const maxRevocationAgeMs = 5_000;

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

  /**
   * `current()`. Where it is too old or lacks this user, looks begun now are waited for, calls at the same time sharing one;
   * so a process that stood still serves again at once. `EventLogUnavailable` where the log does not answer within 2 s.
   */
  async usersWith(userId: number): Promise<apiUsers.ApiUsersState | undefined> {
    const since = this.#looks;
    const suffices = (): boolean => this.#suffices(userId, since);
    // A look that had begun before may be enough, but what it ends in is not the last word.
    if (!suffices()) await this.#forCalls?.catch(() => undefined);
    // The second: the process may have stood still during the first, and what that found is as old as its beginning.
    for (let left = 2; left > 0 && !suffices(); left -= 1)
      await this.#lookForCalls().catch((error: unknown) => {
        if (!suffices()) throw error;
      });
    return this.current();
  }

  /** Whether nothing is to be gained by a look for a call that came when so many looks had begun. */
  #suffices(userId: number, since: number): boolean {
    const users = this.current();
    return users !== undefined && (users.users.has(userId) || this.#newest > since);
  }

  #lookForCalls(): Promise<void> {
    return (this.#forCalls ??= this.#look(callWaitMs).finally(() => (this.#forCalls = undefined)));
  }

  async #look(mostMs: number): Promise<void> {
    const number = ++this.#looks;
    const asOf = this.#deps.clock.now();
    const reading = foldStream(this.#deps.log, apiUsersStream, apiUsersFold, this.#loaded);
    const loaded = await this.#inTime(reading, mostMs);
    if (number < this.#newest) return;
    this.#newest = number;
    this.#loaded = loaded;
    this.#asOf = asOf;
  }

  /** Steps of a timer measure how long this process waited: while it stands still, no answer of the log is late. */
  async #inTime<T>(reading: Promise<T>, mostMs: number): Promise<T> {
    let left = mostMs / stepMs;
    let stop: (() => void) | undefined;
    const tooLate = new Promise<never>((_resolve, reject) => {
      stop = this.#deps.every(stepMs, () => {
        left -= 1;
        if (left <= 0) reject(new EventLogUnavailable('the log does not answer in time'));
        return Promise.resolve();
      });
    });
    try {
      return await Promise.race([reading, tooLate]);
    } finally {
      stop?.();
    }
  }

  async #lookOrReport(): Promise<void> {
    const number = this.#looks + 1;
    try {
      await this.#look(longestLookMs);
      if (this.#reportedAt !== undefined)
        this.#deps.logger.info('the API users can be read from the log again');
      this.#reportedAt = undefined;
    } catch (error) {
      // A later look has told more by now.
      if (number > this.#newest) this.#reportAway(error);
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
