import {
  EventLogUnavailable,
  ImportEngine,
  ImportsBusy,
  type ImportEngineOptions,
  type ImportOutcome,
  type ImportRequest,
  SmallCompanyStates,
} from '@rollcall/application';
import { briefReads, TooMuchToRead } from './brief-reads.js';
import type { ThreadAnswer } from './thread-tasks.js';

/** Bodies below this size hold some hundred elements at most: reading them takes less time than a way to a thread and back. */
export const smallBody = 16 * 1024;

/** How much the states that are decided on here may weigh together. */
const stateBytes = 16 * 1024 * 1024;

export interface SmallCallsOptions extends Omit<ImportEngineOptions, 'states' | 'stopping'> {
  /** Milliseconds that a call waits at most for those of its company before it. */
  readonly waitMs: number;
  /** Is told what a call failed with. */
  readonly onFailure: (error: Error) => void;
}

/** Calls of one company that are decided together at most. */
const mostTogether = 32;

/** A call on its way. */
interface Waiting {
  readonly request: ImportRequest;
  readonly handOver: () => Promise<ThreadAnswer>;
  /** By `performance.now()`. */
  readonly until: number;
  readonly resolve: (outcome: ImportOutcome | Promise<ImportOutcome>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Accepts calls with small bodies in the thread that calls, on small states that it has in memory. Where a decision needs
 * more than that, a thread makes it, and tells the state. Calls of one company that come while it is at work for that company
 * are decided together, with one append: none finds its revision taken by another one.
 */
export class SmallCalls {
  readonly #engine: ImportEngine;
  readonly #states = new SmallCompanyStates(stateBytes);
  /** By company, those that wait while its calls are being decided on. */
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

  /**
   * Decides here or, where that would take long, lets a thread do it by `handOver`. `ImportsBusy`, and nothing done, where
   * its turn does not come in time.
   */
  accept(request: ImportRequest, handOver: () => Promise<ThreadAnswer>): Promise<ImportOutcome> {
    return new Promise((resolve, reject) => {
      const until = performance.now() + this.#waitMs;
      this.#add({ request, handOver, until, resolve, reject });
    });
  }

  /** Resolves once no call is under way. */
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

  /** Never rejects: what fails is told to the calls. */
  async #acceptAll(companyId: number, waiting: Waiting[]): Promise<void> {
    while (waiting.length > 0) {
      const calls = waiting.splice(0, mostTogether).filter(isInTime);
      const alone = calls.length < 2 ? calls : await this.#acceptTogether(calls);
      for (const call of alone) await settled(call, this.#accept(call));
    }
    // At once: whoever comes from here on begins anew.
    this.#waiting.delete(companyId);
  }

  /** Gives those that are to be accepted alone. */
  async #acceptTogether(calls: readonly Waiting[]): Promise<readonly Waiting[]> {
    const joined = calls.filter(({ request }) => !request.dryRun);
    try {
      const outcomes = await this.#engine.acceptTogether(joined.map(({ request }) => request));
      const told = new Map(joined.map((call, index) => [call, outcomes[index]]));
      for (const [call, outcome] of told) if (outcome) call.resolve(outcome);
      return calls.filter((call) => told.get(call) === undefined);
    } catch (error) {
      // Whose fault it is shows where each is accepted alone.
      if (!(error instanceof EventLogUnavailable)) return calls;
      this.#onFailure(error);
      for (const call of joined) call.reject(error);
      return calls.filter(({ request }) => request.dryRun);
    }
  }

  async #accept({ request, handOver }: Waiting): Promise<ImportOutcome> {
    const stream = `company-${request.companyId}`;
    const here = this.#states.get(stream) && (await this.#acceptHere(request));
    if (here !== undefined) return here;
    const { outcome, state } = await handOver();
    this.#states.take(stream, state);
    return outcome;
  }

  /** Undefined where it is the work of a thread: the log took nothing of it then, as it said itself. */
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

/** Its outcome goes to the call; resolves when it is there. */
async function settled({ resolve, reject }: Waiting, outcome: Promise<ImportOutcome>): Promise<void> {
  await outcome.then(resolve, reject);
}

/** Whoever has waited too long is told so. */
function isInTime({ until, reject }: Waiting): boolean {
  const inTime = performance.now() <= until;
  if (!inTime) reject(new ImportsBusy());
  return inTime;
}
