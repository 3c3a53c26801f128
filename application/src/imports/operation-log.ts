import type { DomainEvent } from '@rollcall/contracts';
import type { PendingImport } from '@rollcall/domain';
import { type DecideAndAppendDeps, decideStep } from '../event-store/decide-and-append.js';
import { eventId } from '../event-store/new-events.js';
import { type Fold, foldStream, type LoadedState } from '../event-store/fold.js';
import { eventData, type LoadedEvent } from '../event-store/loaded-event.js';

/** A failed attempt, as the operation's stream has it. */
export interface FailedAttempt {
  readonly attempt: number;
  readonly problem: string;
}

interface OperationState {
  readonly failures: readonly FailedAttempt[];
  /** Ids of all events. */
  readonly ids: ReadonlySet<string>;
}

const operationFold: Fold<OperationState> = {
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

/**
 * What an attempt can write, each once. Its digit stands behind the number of the attempt in the id of the event, and so
 * in logs that are written: it stays.
 */
const steps = { started: '0', progressed: ['1', '2', '3', '4', '5', '6'], failed: '9' } as const;

/** Of one attempt: three attempts stay under the 20 that an operation may have. */
export const mostProgress = steps.progressed.length;

export type Stage = 'reading' | 'deciding' | 'writing';

/** An attempt under way. What it reports is diagnostics: nobody waits for it, and it may be missing. */
export interface RunningAttempt {
  /** How far the import is, 0 .. 100; recorded `mostProgress` times. */
  progressed(stage: Stage, percent: number): void;
  /** Resolves when everything that was reported is recorded, or will never be. */
  settled(): Promise<void>;
}

/**
 * What runners write on `operation-{operationId}`. Ids follow from the attempt, so whoever runs the same attempt, twice or
 * at the same time, writes the same events.
 */
export class OperationLog {
  readonly #deps: DecideAndAppendDeps;
  readonly #pending: PendingImport;
  readonly #stream: string;
  /** The stream as far as it is read. */
  #loaded: LoadedState<OperationState> | undefined;

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

  /** Reports that an attempt begins. */
  begin(attempt: number): RunningAttempt {
    const { operationId } = this.#pending;
    const free = [...steps.progressed];
    let recorded = Promise.resolve();
    const report = (step: string, event: DomainEvent): void => {
      recorded = recorded.then(() => this.#append(`${attempt}${step}`, event)).catch(() => undefined);
    };
    report(steps.started, { name: 'ImportStarted', data: { operationId, attempt } });
    return {
      progressed: (stage, percent) => {
        const step = free.shift();
        if (step === undefined) return;
        report(step, { name: 'ImportProgressed', data: { operationId, attempt, stage, percent } });
      },
      settled: () => recorded,
    };
  }

  /** Counts an attempt; all that failed by now. `EventLogUnavailable`: it was not counted. */
  async failed(attempt: number, problem: string): Promise<readonly FailedAttempt[]> {
    const { operationId } = this.#pending;
    await this.#append(`${attempt}${steps.failed}`, {
      name: 'ImportAttemptFailed',
      data: { operationId, attempt, problem },
    });
    return this.failedAttempts();
  }

  async #append(step: string, event: DomainEvent): Promise<void> {
    const { operationId, context } = this.#pending;
    const id = eventId(operationId, this.#stream, step);
    const outcome = await decideStep<OperationState, never>(this.#deps, {
      stream: this.#stream,
      context,
      fold: operationFold,
      store: { get: () => Promise.resolve(this.#loaded), put: () => undefined },
      decide: ({ ids }) => (ids.has(id) ? { kind: 'nothing' } : { kind: 'events', events: [event] }),
      idOf: () => id,
    });
    this.#loaded = outcome.loaded;
  }
}
