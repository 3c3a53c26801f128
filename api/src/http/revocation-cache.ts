import {
  apiUsersFold,
  apiUsersStates,
  apiUsersStream,
  type DamageFinder,
  loadState,
  type StateSnapshots,
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
const maxReadMs = 4_000;
/** Less than `maxReadMs`: a store of snapshots that hangs costs time only. */
const maxSnapshotMs = 1_000;
/** Then it counts as one that hangs, and another begins. */
const maxFirstReadMs = 30_000;
const maxCallWaitMs = 12_000;
const maxFailedReads = 10;
const timerStepMs = 100;
const reportEveryMs = 60_000;
/** A revoked token is refused within this time on every process (docs/contract, "Token"). */
const maxRevocationAgeMs = 5_000;

type Loaded = LoadedState<apiUsers.ApiUsersState>;

interface RevocationCacheDeps {
  readonly log: EventReader & DamageFinder;
  readonly snapshots?: StateSnapshots | undefined;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly every: Every;
}

/** This process's copy of `api-users`, refreshed by a timer. A read begins every second even while others hang. */
export class RevocationCache {
  readonly #deps: RevocationCacheDeps;
  readonly #states: ReturnType<typeof apiUsersStates> | undefined;
  #loaded: Loaded | undefined;
  #first: { readonly at: number; readonly loading: Promise<Loaded> } | undefined;
  #asOf = Number.NEGATIVE_INFINITY;
  #reads = 0;
  #newest = 0;
  #failed = 0;
  #forCalls: Promise<void> | undefined;
  #stop: (() => void) | undefined;
  #reportedAt: number | undefined;

  constructor(deps: RevocationCacheDeps) {
    this.#deps = deps;
    const { snapshots, logger } = deps;
    this.#states =
      snapshots &&
      apiUsersStates({
        snapshots: {
          newest: (...request) => this.#inTime(snapshots.newest(...request), maxSnapshotMs),
          put: (snapshot) => snapshots.put(snapshot),
        },
        logger,
      });
  }

  /** Reads once, then by the timer. An outage is no error: the cache is stale then. */
  async start(): Promise<void> {
    await this.#readOrReport();
    this.#stop = this.#deps.every(refreshMs, () => {
      void this.#readOrReport();
      return Promise.resolve();
    });
  }

  stop(): void {
    this.#stop?.();
  }

  /** Undefined where the users are older than 5 s, or the clock was set back. */
  current(): apiUsers.ApiUsersState | undefined {
    const age = this.#deps.clock.now() - this.#asOf;
    return age >= 0 && age <= maxRevocationAgeMs ? this.#loaded?.state : undefined;
  }

  /** `current()`, or a shared new read for an unknown user. `EventLogUnavailable` after 12 s; undefined in a long outage. */
  async usersWith(userId: number): Promise<apiUsers.ApiUsersState | undefined> {
    const since = this.#reads;
    const suffices = (): boolean => this.#suffices(userId, since);
    // A read in progress may suffice, but its failure does not decide.
    if (!suffices()) await this.#forCalls?.catch(() => undefined);
    // A second read: the process may have been paused during the first, which ages its result.
    for (let left = 2; left > 0 && !suffices() && this.#failed < maxFailedReads; left -= 1)
      await this.#readForCalls().catch((error: unknown) => {
        if (!suffices()) throw error;
      });
    return this.current();
  }

  /** Whether another read would gain nothing for a call that came after `since` reads. */
  #suffices(userId: number, since: number): boolean {
    const users = this.current();
    return users !== undefined && (users.users.has(userId) || this.#newest > since);
  }

  #readForCalls(): Promise<void> {
    return (this.#forCalls ??= this.#read(maxCallWaitMs).finally(() => (this.#forCalls = undefined)));
  }

  async #read(mostMs: number): Promise<void> {
    const number = ++this.#reads;
    const asOf = this.#deps.clock.now();
    const loaded = await this.#inTime(this.#fold(this.#loaded), mostMs);
    if (number < this.#newest) return;
    this.#states?.put(apiUsersStream, loaded);
    this.#newest = number;
    this.#failed = 0;
    this.#loaded = loaded;
    this.#first = undefined;
    this.#asOf = asOf;
  }

  async #fold(known: Loaded | undefined): Promise<Loaded> {
    return foldStream(this.#deps.log, apiUsersStream, apiUsersFold, known ?? (await this.#fromStart()));
  }

  /** Reads that begin meanwhile share it: each by itself would be late for ever where it takes longer than a read may. */
  #fromStart(): Promise<Loaded> {
    const now = this.#deps.clock.now();
    if (this.#first === undefined || now - this.#first.at > maxFirstReadMs) {
      const source = { log: this.#deps.log, stream: apiUsersStream, fold: apiUsersFold, store: this.#states };
      const first = { at: now, loading: loadState(source) };
      this.#first = first;
      first.loading.catch(() => (this.#first = this.#first === first ? undefined : this.#first));
    }
    return this.#first.loading;
  }

  /** Timer steps measure this process's waiting: its own pauses do not count as a late answer. */
  async #inTime<T>(reading: Promise<T>, mostMs: number): Promise<T> {
    let left = mostMs / timerStepMs;
    let stop: (() => void) | undefined;
    const tooLate = new Promise<never>((_resolve, reject) => {
      stop = this.#deps.every(timerStepMs, () => {
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

  async #readOrReport(): Promise<void> {
    const number = this.#reads + 1;
    try {
      await this.#read(maxReadMs);
      if (this.#reportedAt !== undefined)
        this.#deps.logger.info('the API users can be read from the log again');
      this.#reportedAt = undefined;
    } catch (error) {
      // A later read has already answered.
      if (number <= this.#newest) return;
      this.#failed += 1;
      this.#reportAway(error);
    }
  }

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
