import {
  ImportEngine,
  type ImportEngineOptions,
  type ImportOutcome,
  type ImportRequest,
  SmallCompanyStates,
} from '@rollcall/application';
import { briefReads, TooMuchToRead } from './brief-reads.js';
import { FairTurns } from './fair-turns.js';
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

/**
 * Accepts calls with small bodies in the thread that calls, on small states that it has in memory. Where a decision needs
 * more than that, a thread makes it, and tells the state.
 */
export class SmallCalls {
  readonly #engine: ImportEngine;
  readonly #states = new SmallCompanyStates(stateBytes);
  /** One call of a company at a time: none finds its revision taken by another one. */
  readonly #turns = new FairTurns(Infinity);
  readonly #waitMs: number;
  readonly #onFailure: SmallCallsOptions['onFailure'];
  readonly #running = new Set<Promise<unknown>>();

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

  /** Decides here or, where that would take long, lets a thread do it by `handOver`. */
  accept(request: ImportRequest, handOver: () => Promise<ThreadAnswer>): Promise<ImportOutcome> {
    const accepted = this.#turns.run(request.companyId, this.#waitMs, () => this.#accept(request, handOver));
    this.#running.add(accepted);
    const ended = (): void => void this.#running.delete(accepted);
    accepted.then(ended, ended);
    return accepted;
  }

  /** Resolves once no call is under way. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #accept(request: ImportRequest, handOver: () => Promise<ThreadAnswer>): Promise<ImportOutcome> {
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
