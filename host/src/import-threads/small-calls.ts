import {
  EventLogUnavailable,
  ImportEngine,
  importLimits,
  ImportsBusy,
  type ImportEngineOptions,
  type ImportOutcome,
  type ImportRequest,
  BoundedCache,
  SmallCompanyStates,
  stagedReference,
  type EventLog,
  type RecordedEvent,
} from '@rollcall/application';
import type { ThreadAnswer } from './thread-tasks.js';

const { events: mostEvents, bytes: mostBytes } = importLimits.foldedOnLoop;

/** Too much to read on the event loop: a thread has to do it. */
class TooMuchToRead extends Error {
  override readonly name = 'TooMuchToRead';
}

/** The same log; reads of many events or bytes end with `TooMuchToRead`. */
const briefReads = (log: EventLog): EventLog => ({
  ...log,
  readStream: (...given) => briefly(log.readStream(...given)),
});

async function* briefly(events: AsyncIterable<RecordedEvent>): AsyncGenerator<RecordedEvent> {
  let [count, bytes] = [0, 0];
  for await (const event of events) {
    count += 1;
    bytes += event.data.byteLength;
    if (count > mostEvents || bytes > mostBytes || stagedReference(event.data) !== undefined)
      throw new TooMuchToRead();
    yield event;
  }
}

interface SmallCallsOptions extends Omit<ImportEngineOptions, 'states' | 'stopping'> {
  /** Limit for the wait for the company's earlier calls (ms). */
  readonly waitMs: number;
  readonly onFailure: (error: Error) => void;
}

interface Waiting {
  readonly request: ImportRequest;
  readonly handOver: () => Promise<ThreadAnswer>;
  /** By `performance.now()`. */
  readonly until: number;
  readonly resolve: (outcome: ImportOutcome | Promise<ImportOutcome>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Accepts small calls on small states, in memory or read from short streams. Waiting calls of a company share one append, so that none
 * conflicts.
 */
export class SmallCalls {
  readonly #engine: ImportEngine;
  readonly #states = new SmallCompanyStates();
  /** Companies whose states only a thread can read in time. */
  readonly #large = new BoundedCache<number, true>({ most: importLimits.largeStates });
  /** Calls by company that wait while earlier ones are decided. */
  readonly #waiting = new Map<number, Waiting[]>();
  readonly #running = new Set<Promise<void>>();
  readonly #waitMs: number;
  readonly #onFailure: SmallCallsOptions['onFailure'];

  constructor({ waitMs, onFailure, ...options }: SmallCallsOptions) {
    this.#waitMs = waitMs;
    this.#onFailure = onFailure;
    this.#engine = new ImportEngine({
      ...options,
      log: briefReads(options.log),
      states: this.#states,
      stopping: () => false,
    });
  }

  /** Decides here, or by `handOver` if that takes long. `ImportsBusy`, with nothing done, if its turn comes too late. */
  accept(request: ImportRequest, handOver: () => Promise<ThreadAnswer>): Promise<ImportOutcome> {
    return new Promise((resolve, reject) => {
      const until = performance.now() + this.#waitMs;
      this.#add({ request, handOver, until, resolve, reject });
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#running);
  }

  #add(call: Waiting): void {
    const { companyId } = call.request;
    const waiting = this.#waiting.get(companyId);
    if (waiting !== undefined) {
      waiting.push(call);
      return;
    }
    const calls = [call];
    this.#waiting.set(companyId, calls);
    const running = this.#acceptAll(companyId, calls).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Never rejects: the calls get the failures. */
  async #acceptAll(companyId: number, waiting: Waiting[]): Promise<void> {
    while (waiting.length > 0) {
      const calls = waiting.splice(0, importLimits.callsInAppend).filter(isInTime);
      const alone = calls.length < 2 ? calls : await this.#acceptTogether(calls);
      for (const call of alone) await this.#accept(call).then(call.resolve, call.reject);
    }
    // In the same turn, so that a later call begins a new batch.
    this.#waiting.delete(companyId);
  }

  /** Returns the calls to accept one by one. */
  async #acceptTogether(calls: readonly Waiting[]): Promise<readonly Waiting[]> {
    const joined = calls.filter(({ request }) => !request.dryRun);
    try {
      const outcomes = await this.#engine.acceptTogether(joined.map(({ request }) => request));
      const results = new Map(joined.map((call, index) => [call, outcomes[index]]));
      for (const [call, outcome] of results) if (outcome) call.resolve(outcome);
      return calls.filter((call) => results.get(call) === undefined);
    } catch (error) {
      // Accepted one by one, each call shows its own failure.
      if (!(error instanceof EventLogUnavailable)) return calls;
      this.#onFailure(error);
      for (const call of joined) call.reject(error);
      return calls.filter(({ request }) => request.dryRun);
    }
  }

  async #accept({ request, handOver }: Waiting): Promise<ImportOutcome> {
    const { companyId } = request;
    const here = this.#large.get(companyId) ? undefined : await this.#acceptHere(request);
    if (here !== undefined) return here;
    const { outcome, state } = await handOver();
    this.#states.take(`company-${companyId}`, state);
    if (state === undefined) this.#large.set(companyId, true);
    else this.#large.delete(companyId);
    return outcome;
  }

  /** Undefined where a thread has to do it; the log has taken nothing then. */
  async #acceptHere(request: ImportRequest): Promise<ImportOutcome | undefined> {
    try {
      return await this.#engine.accept(request);
    } catch (error) {
      if (error instanceof TooMuchToRead) return undefined;
      if (error instanceof Error) this.#onFailure(error);
      throw error;
    }
  }
}

/** Rejects a call that has waited too long. */
function isInTime({ until, reject }: Waiting): boolean {
  const inTime = performance.now() <= until;
  if (!inTime) reject(new ImportsBusy());
  return inTime;
}
