import type { DomainEvent } from '@rollcall/contracts';
import type { PendingImport } from '@rollcall/domain';
import { decideAndAppend, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { eventId } from '../event-store/event-ids.js';
import { type Fold, foldStream, type LoadedState } from '../event-store/fold.js';
import { eventData, type LoadedEvent } from '../event-store/loaded-event.js';

/** A failed attempt, as the operation's stream tells of it. */
export interface FailedAttempt {
  readonly attempt: number;
  readonly problem: string;
}

interface Told {
  readonly failures: readonly FailedAttempt[];
  /** Ids of all events. */
  readonly ids: ReadonlySet<string>;
}

const operationFold: Fold<Told> = {
  initial: () => ({ failures: [], ids: new Set() }),
  evolve: async ({ failures, ids }, event) => ({
    failures: [...failures, ...(await failureIn(event))],
    ids: new Set(ids).add(event.id),
  }),
};

async function failureIn(event: LoadedEvent): Promise<readonly FailedAttempt[]> {
  if (event.name !== 'ImportAttemptFailed') return [];
  const { attempt, problem } = await eventData(event, 'ImportAttemptFailed');
  return [{ attempt, problem }];
}

/** Each attempt has so many places for events on the operation's stream. */
const placesOfAttempt = 10;
const failedPlace = 9;
/** Of one attempt: three attempts stay under the 20 that an operation may have. */
export const mostProgress = 6;

export type Stage = 'reading' | 'deciding' | 'writing';

/**
 * What runners write on `operation-{operationId}`. Places follow from the attempt, so whoever runs the same attempt, twice
 * or at the same time, writes the same events.
 */
export class OperationLog {
  readonly #deps: DecideAndAppendDeps;
  readonly #pending: PendingImport;
  readonly #stream: string;
  #loaded: LoadedState<Told> | undefined;
  #told: Promise<void> = Promise.resolve();
  #attempt = 1;
  #progress = 0;

  constructor(deps: DecideAndAppendDeps, pending: PendingImport) {
    this.#deps = deps;
    this.#pending = pending;
    this.#stream = `operation-${pending.operationId}`;
  }

  /** Read from the log: attempts of other processes count as well, and outages are none. */
  async failedAttempts(): Promise<readonly FailedAttempt[]> {
    this.#loaded = await foldStream(this.#deps.log, this.#stream, operationFold);
    return this.#loaded.state.failures;
  }

  /** Tells that an attempt begins. Diagnostics: nobody waits for it, and it may be missing. */
  started(attempt: number): void {
    this.#attempt = attempt;
    this.#progress = 0;
    const { operationId } = this.#pending;
    this.#tell(0, { name: 'ImportStarted', data: { operationId, attempt } });
  }

  /** Tells how far the import is, 0 .. 100, in at most `mostProgress` events of an attempt. Diagnostics as well. */
  progressed(stage: Stage, percent: number): void {
    if (this.#progress === mostProgress) return;
    this.#progress += 1;
    const { operationId } = this.#pending;
    const data = { operationId, attempt: this.#attempt, stage, percent };
    this.#tell(this.#progress, { name: 'ImportProgressed', data });
  }

  /** Counts an attempt; all that failed by now. `EventLogUnavailable`: it was not counted. */
  async failed(attempt: number, problem: string): Promise<readonly FailedAttempt[]> {
    await this.#told;
    const { operationId } = this.#pending;
    this.#attempt = attempt;
    await this.#append(failedPlace, {
      name: 'ImportAttemptFailed',
      data: { operationId, attempt, problem },
    });
    return this.failedAttempts();
  }

  /** Resolves when everything that was told is written, or will never be. */
  settled(): Promise<void> {
    return this.#told;
  }

  #tell(place: number, event: DomainEvent): void {
    this.#told = this.#told.then(() => this.#append(place, event)).catch(() => undefined);
  }

  async #append(place: number, event: DomainEvent): Promise<void> {
    const stream = this.#stream;
    const firstIndex = this.#attempt * placesOfAttempt + place;
    const id = eventId(this.#pending.operationId, stream, firstIndex);
    const outcome = await decideAndAppend(this.#deps, {
      stream,
      context: this.#pending.context,
      fold: operationFold,
      store: { get: () => Promise.resolve(this.#loaded), put: () => undefined },
      decide: ({ ids }) => (ids.has(id) ? { kind: 'nothing' } : { kind: 'events', events: [event] }),
      firstIndex,
      isOutcome: (each) => each.id === id,
    });
    this.#loaded = outcome.loaded;
  }
}
