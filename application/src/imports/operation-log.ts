import type { DomainEvent, DomainEventOf } from '@rollcall/contracts';
import type { PendingImport } from '@rollcall/domain';
import { type DecideAndAppendDeps, decideStep } from '../event-store/decide-and-append.js';
import { eventId } from '../event-store/new-events.js';
import { foldStream, type LoadedState } from '../event-store/fold.js';
import { type FailedAttempt, operationFold, type OperationState } from './operation-state.js';

/** Parts of event ids, after the attempt's number: stored logs have them, so they never change. */
const steps = { started: '0', progressed: ['1', '2', '3', '4', '5', '6'], failed: '9' } as const;

/** Further starts are neither recorded nor counted: each could add an interruption. */
const mostStarts = 50;

export type Stage = 'reading' | 'deciding' | 'writing';

export type Interruption = DomainEventOf<'ImportInterrupted'>['data']['cause'];

/** Its reports are diagnostics: nobody waits for them, and some may be missing. */
export interface RunningAttempt {
  /** `percent`: 0 to 100. Recorded once for each of `steps.progressed`. */
  progressed(stage: Stage, percent: number): void;
  /** From now on the end of this process does not count against the import. */
  interrupted(cause: Interruption): Promise<void>;
  /** Records it where another process has started the import since. */
  look(): Promise<void>;
  /** Resolves when every report is recorded or given up. */
  settled(): Promise<void>;
}

export interface Attempts {
  readonly failed: readonly FailedAttempt[];
  /** Starts of other processes without a recorded end: presumably they ended with their process. */
  readonly lost: number;
}

/** Event ids follow from the attempt, and those of starts from the process: repeats write the same events. */
export class OperationLog {
  readonly #deps: OperationLogDeps;
  readonly #pending: PendingImport;
  readonly #stream: string;
  #loaded: LoadedState<OperationState> | undefined;

  constructor(deps: OperationLogDeps, pending: PendingImport) {
    this.#deps = deps;
    this.#pending = pending;
    this.#stream = `operation-${pending.operationId}`;
  }

  /** From the log: attempts and starts of other processes count as well, and outages are none. */
  async attempts(): Promise<Attempts> {
    this.#loaded = await foldStream(this.#deps.log, this.#stream, operationFold);
    const { failures: failed, open } = this.#loaded.state;
    const own = this.#startId(this.#ownStart(failed.length + 1));
    return { failed, lost: open.filter((id) => id !== own).length };
  }

  /** Records the start before anything is done. Goes on where the operation's stream cannot be written. */
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

  /** Returns all failed attempts, this one included. `EventLogUnavailable`: it was not counted. */
  async failed(attempt: number, problem: string): Promise<readonly FailedAttempt[]> {
    const { operationId } = this.#pending;
    await this.#append(`${attempt}${steps.failed}`, () => ({
      name: 'ImportAttemptFailed',
      data: { operationId, attempt, problem },
    }));
    return (await this.attempts()).failed;
  }

  /** This process's open start, else its next one. */
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

type Decide = (state: OperationState) => DomainEvent | undefined;

export interface OperationLogDeps extends DecideAndAppendDeps {
  readonly processId: string;
}
