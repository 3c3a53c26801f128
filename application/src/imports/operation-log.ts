import type { DomainEvent, DomainEventOf } from '@rollcall/contracts';
import type { PendingImport } from '@rollcall/domain';
import { type DecideAndAppendDeps, decideStep } from '../event-store/decide-and-append.js';
import { eventId } from '../event-store/new-events.js';
import { foldStream, type LoadedState } from '../event-store/fold.js';
import { type FailedAttempt, operationFold, type OperationState } from './operation-state.js';

/**
 * What an attempt can write, each once, but for its starts: those have more behind the digit. It stands behind the number
 * of the attempt in the id of the event, and so in logs that are written: it stays.
 */
const steps = { started: '0', progressed: ['1', '2', '3', '4', '5', '6'], failed: '9' } as const;

/** More starts than these are not recorded, and so not counted: each could be followed by an interruption. */
const mostStarts = 50;

export type Stage = 'reading' | 'deciding' | 'writing';

export type Interruption = DomainEventOf<'ImportInterrupted'>['data']['cause'];

/** An attempt under way. What it reports is diagnostics: nobody waits for it, and it may be missing. */
export interface RunningAttempt {
  /** How far the import is, 0 .. 100; recorded once for each of `steps.progressed`. */
  progressed(stage: Stage, percent: number): void;
  /** What becomes of this process from here on is not the import's doing. */
  interrupted(cause: Interruption): Promise<void>;
  /** Says so where another process has started the import since. */
  look(): Promise<void>;
  /** Resolves when everything that was reported is recorded, or will never be. */
  settled(): Promise<void>;
}

/** What the operation's stream says of the import before it is run. */
export interface Attempts {
  readonly failed: readonly FailedAttempt[];
  /** Starts in other processes that nobody has ended: as far as anybody knows, they ended with their process. */
  readonly lost: number;
}

/**
 * What runners write on `operation-{operationId}`. Ids follow from the attempt, so whoever runs the same attempt, twice or
 * at the same time, writes the same events; those of starts from the process too.
 */
export class OperationLog {
  readonly #deps: OperationLogDeps;
  readonly #pending: PendingImport;
  readonly #stream: string;
  /** The stream as far as it is read. */
  #loaded: LoadedState<OperationState> | undefined;

  constructor(deps: OperationLogDeps, pending: PendingImport) {
    this.#deps = deps;
    this.#pending = pending;
    this.#stream = `operation-${pending.operationId}`;
  }

  /** Read from the log: attempts and starts of other processes count as well, and outages are none. */
  async attempts(): Promise<Attempts> {
    this.#loaded = await foldStream(this.#deps.log, this.#stream, operationFold);
    const { failures: failed, open } = this.#loaded.state;
    const own = this.#startId(this.#ownStart(failed.length + 1));
    return { failed, lost: open.filter((id) => id !== own).length };
  }

  /** Records that an attempt begins, before anything is done; an operation's stream that cannot be written hinders nothing. */
  async begin(attempt: number): Promise<RunningAttempt> {
    const { operationId } = this.#pending;
    const start = this.#ownStart(attempt);
    const startId = this.#startId(start);
    const free = [...steps.progressed];
    let recorded = Promise.resolve();
    const report = (step: string, decide: Decide): Promise<void> =>
      (recorded = recorded.then(() => this.#append(step, decide)).catch(() => undefined));
    const interrupt = (cause: Interruption, isSo: (state: OperationState) => boolean): Promise<void> =>
      report(`${start}/interrupted`, (state) =>
        state.open.includes(startId) && isSo(state)
          ? { name: 'ImportInterrupted', data: { operationId, attempt, startId, cause } }
          : undefined,
      );
    await report(start, ({ starts }) =>
      starts < mostStarts ? { name: 'ImportStarted', data: { operationId, attempt } } : undefined,
    );
    return {
      progressed: (stage, percent) => {
        const step = free.shift();
        if (step === undefined) return;
        void report(`${attempt}${step}`, () => ({
          name: 'ImportProgressed',
          data: { operationId, attempt, stage, percent },
        }));
      },
      interrupted: (cause) => interrupt(cause, () => true),
      look: () => interrupt('overtaken', ({ open }) => open.at(-1) !== startId),
      settled: () => recorded,
    };
  }

  /** Counts an attempt; all that failed by now. `EventLogUnavailable`: it was not counted. */
  async failed(attempt: number, problem: string): Promise<readonly FailedAttempt[]> {
    const { operationId } = this.#pending;
    await this.#append(`${attempt}${steps.failed}`, () => ({
      name: 'ImportAttemptFailed',
      data: { operationId, attempt, problem },
    }));
    return (await this.attempts()).failed;
  }

  /** The step of this process's start: the one that nobody has ended, or the next. */
  #ownStart(attempt: number): string {
    const { ids, open } = this.#loaded?.state ?? operationFold.initial();
    for (let n = 1; ; n++) {
      const start = `${attempt}${steps.started}/${this.#deps.processId}/${n}`;
      const id = this.#startId(start);
      if (!ids.has(id) || open.includes(id)) return start;
    }
  }

  #startId(start: string): string {
    return eventId(this.#pending.operationId, this.#stream, start);
  }

  async #append(step: string, decide: Decide): Promise<void> {
    const { operationId, context } = this.#pending;
    const id = eventId(operationId, this.#stream, step);
    const outcome = await decideStep<OperationState, never>(this.#deps, {
      stream: this.#stream,
      context,
      fold: operationFold,
      store: { get: () => this.#loaded, put: () => undefined },
      fromMemory: true,
      decide: (state) => {
        const event = state.ids.has(id) ? undefined : decide(state);
        return event ? { kind: 'events', events: [event] } : { kind: 'nothing' };
      },
      idOf: () => id,
    });
    this.#loaded = outcome.loaded;
  }
}

/** The event of a step, if it is to be written. */
type Decide = (state: OperationState) => DomainEvent | undefined;

export interface OperationLogDeps extends DecideAndAppendDeps {
  /** Of the process whose threads run imports: another one after each restart. */
  readonly processId: string;
}
