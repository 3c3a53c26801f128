import type { DomainEvent, DomainEventOf } from '@rollcall/contracts';
import { type PendingImport, recordedErrors } from '@rollcall/domain';
import { type DecideAndAppendDeps, decideStep, decideAndAppend } from '../event-store/decide-and-append.js';
import { eventId } from '../event-store/linked-events.js';
import { foldStream, type LoadedState, type Fold, initialState } from '../event-store/load-state.js';
import type { LoadedEvent } from '../event-store/loaded-event.js';
import { everyByTimer, type Every } from '../timers.js';
import type { Clock } from '../ports/clock.js';
import { type EventLog, LogCorrupt } from '../ports/event-log.js';
import type { RefusedCall, Written } from '../ports/imports.js';
import { writtenOf } from '../own-read-models.js';

/** Parts of event ids, after the attempt's number: stored logs have them, so they never change. */
const steps = { started: '0', progressed: ['1', '2', '3', '4', '5', '6'], failed: '9' } as const;

/** Further starts are neither recorded nor counted: each could add an interruption. */
const mostStarts = 50;

export type Interruption = DomainEventOf<'ImportInterrupted'>['data']['cause'];

/** Its reports are diagnostics: nobody waits for them, and some may be missing. */
export interface RunningAttempt {
  /** `percent`: 0 to 100. Recorded once for each of `steps.progressed`. */
  progressed(stage: 'reading' | 'deciding' | 'writing', percent: number): void;
  /** From now on the end of this process does not count against the import. */
  interrupted(cause: Interruption): Promise<void>;
  /** Records it where another process has started the import since. */
  look(): Promise<void>;
  /** Resolves when every report is recorded or given up. */
  settled(): Promise<void>;
}

interface Attempts {
  readonly failed: readonly FailedAttempt[];
  /** Starts of other processes without a recorded end: presumably they ended with their process. */
  readonly lost: number;
  /** This process has started the next attempt, or no further start is recorded. */
  readonly isStarted: boolean;
  /** Nothing can be counted. */
  readonly isDamaged: boolean;
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

  /** From the log: attempts and starts of other processes count as well, and outages are none. None of a damaged stream. */
  async attempts(): Promise<Attempts> {
    let isDamaged = false;
    try {
      this.#loaded = await foldStream(this.#deps.log, this.#stream, operationFold);
    } catch (error) {
      isDamaged = error instanceof LogCorrupt;
      if (!isDamaged) throw error;
    }
    const { failures: failed, open, starts } = this.#state;
    const own = this.#ownStart(failed.length + 1);
    const isStarted = open.includes(own.id) || starts >= mostStarts;
    return { failed, lost: open.filter((id) => id !== own.id).length, isStarted, isDamaged };
  }

  /** Records the start before anything is done. Goes on where the operation's stream cannot be written. */
  async begin(attempt: number): Promise<RunningAttempt> {
    const { operationId } = this.#pending;
    const { step: start, id: startId } = this.#ownStart(attempt);
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

  get #state(): OperationState {
    return this.#loaded?.state ?? operationFold.initial();
  }

  /** This process's open start, else its next one. */
  #ownStart(attempt: number): { readonly step: string; readonly id: string } {
    const { ids, open } = this.#state;
    for (let n = 1; ; n++) {
      const step = `${attempt}${steps.started}/${this.#deps.processId}/${n}`;
      const id = eventId(this.#pending.operationId, this.#stream, step);
      if (!ids.has(id) || open.includes(id)) return { step, id };
    }
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

interface OperationLogDeps extends DecideAndAppendDeps {
  readonly processId: string;
}

interface FailedAttempt {
  readonly attempt: number;
  readonly problem: string;
}

interface OperationState {
  readonly failures: readonly FailedAttempt[];
  readonly ids: ReadonlySet<string>;
  readonly starts: number;
  /** Ids of starts that may have ended their process, in order: no failed attempt or interruption follows them. */
  readonly open: readonly string[];
}

type Evolve = (state: OperationState, event: LoadedEvent) => Promise<Partial<OperationState>>;

const evolutions: Readonly<Record<string, Evolve>> = {
  ImportStarted: ({ starts, open }, { id }) => Promise.resolve({ starts: starts + 1, open: [...open, id] }),
  ImportInterrupted: async ({ open }, event) => {
    const { startId } = await event.data('ImportInterrupted');
    return { open: open.filter((id) => id !== startId) };
  },
  // The newest start reported the failure, so it did not end its process.
  ImportAttemptFailed: async ({ failures, open }, event) => {
    const { attempt, problem } = await event.data('ImportAttemptFailed');
    return { failures: [...failures, { attempt, problem }], open: open.slice(0, -1) };
  },
};

const operationFold: Fold<OperationState> = {
  initial: () => ({ failures: [], ids: new Set(), starts: 0, open: [] }),
  evolve: async (state, event) => ({
    ...state,
    ids: new Set(state.ids).add(event.id),
    ...(await evolutions[event.name]?.(state, event)),
  }),
};

const TICK_MS = 1_000;
const LOOK_TICKS = 10;

export interface WatchRunDeps {
  readonly stopping?: () => boolean;
  readonly every?: Every;
}

/** Records when the attempt's start stops counting: the process ends, or another one runs the import. Returns its stop. */
export function watchRun(
  { stopping, every = everyByTimer }: WatchRunDeps,
  attempt: RunningAttempt,
): () => void {
  let ticks = 0;
  return every(TICK_MS, () => {
    ticks += 1;
    if (stopping?.()) return attempt.interrupted('stop');
    return ticks % LOOK_TICKS === 0 ? attempt.look() : Promise.resolve();
  });
}

const nothing: Fold<null> = { initial: () => null, evolve: () => null };

/** The only trace of a refused call: its ApiCalls row (docs/contract, "ApiCalls"). */
export async function recordRefusal(
  deps: { readonly log: EventLog; readonly clock: Clock },
  call: RefusedCall,
  errors: readonly string[],
): Promise<Written> {
  const { operationId } = call.context;
  const outcome = await decideAndAppend(deps, {
    stream: `operation-${operationId}`,
    context: call.context,
    fold: nothing,
    // The call has an operation of its own, and this is its only event.
    store: { get: () => initialState(nothing), put: () => undefined },
    fromMemory: true,
    isFresh: true,
    decide: () => ({
      kind: 'events',
      events: [
        {
          name: 'ImportRefused',
          data: {
            operationId,
            method: call.method,
            status: call.status,
            bodySha256: call.bodySha256,
            validationErrors: recordedErrors(errors),
          },
        },
      ],
    }),
  });
  if (outcome.kind !== 'appended') throw new Error('a refusal is always recorded');
  return writtenOf(outcome.events);
}
