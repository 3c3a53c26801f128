import {
  FailureReport,
  growingDelay,
  sleep,
  type LaggingStream,
  type Position,
} from '@rollcall/application/read';

import type { ProcessorInFlight, ProjectionRun } from './projection-run.js';
import { retryStreams } from './retry-streams.js';

/** How often it is looked whether a stream that is behind was left by whoever worked on it. */
const LOOK_EVERY_MS = 1_000;
const FIRST_DELAY_MS = 100;
const LAST_DELAY_MS = 10_000;

export interface InFlightStreamOptions extends ProjectionRun {
  readonly signal: AbortSignal;
}

/**
 * Where large events are projected, one after the other, so that the events of other streams go on meanwhile. The store
 * knows which streams are behind: what a crash left is taken up again.
 */
export class InFlightStream implements ProcessorInFlight {
  readonly #options: InFlightStreamOptions;
  readonly #waiting = new Set<string>();
  #seen = new Map<string, string>();
  #work: Promise<void> | undefined;
  #since: Position | undefined;
  /** How many streams were marked healthy so far: a cursor that skips them has to be opened anew. */
  whole = 0;

  constructor(options: InFlightStreamOptions) {
    this.#options = options;
  }

  /** From now on events are new. Earlier ones are projected in the log's order, as a rebuild does it. */
  async begin(): Promise<void> {
    this.#since ??= (await this.#options.log.lastPosition()) ?? -1n;
  }

  wants(position: Position): boolean {
    return this.#since !== undefined && position > this.#since;
  }

  /** Projects the stream, which the store knows to be behind, when its turn comes. */
  take(stream: string): void {
    this.#waiting.add(stream);
    this.#work ??= this.#workOff().finally(() => (this.#work = undefined));
  }

  /** Takes up what nobody works on, until the signal aborts; resolves when nothing is under way. */
  async run(): Promise<void> {
    const { signal, readModels, logger } = this.#options;
    const report = new FailureReport({ logger, message: 'it is not known which streams are behind' });
    while (!signal.aborted) {
      try {
        this.#takeLeft(await readModels.laggingStreams());
        report.succeeded();
      } catch (error) {
        report.failed(error);
      }
      await sleep(LOOK_EVERY_MS, signal);
    }
    await this.#work;
  }

  /** One that is seen twice in the same place may be nobody's. Where it is not, its writes have the better of ours, or ours of them. */
  #takeLeft(lagging: readonly LaggingStream[]): void {
    for (const place of lagging)
      if (this.#seen.get(place.stream) === textOf(place) && !this.#waiting.has(place.stream))
        this.take(place.stream);
    this.#seen = new Map(lagging.map((place) => [place.stream, textOf(place)]));
  }

  async #workOff(): Promise<void> {
    const { signal } = this.#options;
    for (const stream of this.#waiting) {
      if (signal.aborted) return;
      await this.#project(stream);
      this.#waiting.delete(stream);
    }
  }

  async #project(stream: string): Promise<void> {
    const { signal, logger } = this.#options;
    const message = 'a large event is not projected yet';
    const report = new FailureReport({ logger, message, level: 'error' });
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        const outcome = await retryStreams(this.#options, stream, signal);
        if (outcome === 'whole') this.whole += 1;
        else if (typeof outcome === 'object') logger?.error(outcome, 'a stream cannot be projected');
        return;
      } catch (error) {
        const delay = growingDelay(failures, FIRST_DELAY_MS, LAST_DELAY_MS);
        report.failed(error, { delay });
        await sleep(delay, signal);
      }
    }
  }
}

const textOf = ({ revision, parts = 0 }: LaggingStream): string => `${revision}/${parts}`;
