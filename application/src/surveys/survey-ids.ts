import { sharing } from '../concurrency.js';
import { decideAndAppend, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { systemContext } from '../event-store/linked-events.js';
import type { Fold, LoadedState, StateStore } from '../event-store/load-state.js';

const stream = 'surveyids';
const blockSize = 64;

const blocks: Fold<number> = { initial: () => 0, evolve: (given) => given + 1 };

export type SurveyIdsDeps = Pick<DecideAndAppendDeps, 'log' | 'clock'>;

export interface NewSurveyNumbers {
  readonly surveyId: number;
  readonly surveyDefinitionId: number;
}

/** Unique survey numbers, reserved in blocks of 64 (docs/way-of-the-data, "surveyids"). A process's rest is never used. */
export class SurveyIds {
  readonly #deps: SurveyIdsDeps;
  #free: number[] = [];
  readonly #reserve = sharing(() => this.#reserveBlock());
  #last: LoadedState<number> | undefined;
  readonly #store: StateStore<number> = {
    get: () => this.#last,
    put: (_stream, loaded) => (this.#last = loaded),
  };

  constructor(deps: SurveyIdsDeps) {
    this.#deps = deps;
  }

  async take(): Promise<NewSurveyNumbers> {
    for (;;) {
      const [surveyId, surveyDefinitionId] = this.#free;
      if (surveyId !== undefined && surveyDefinitionId !== undefined) {
        this.#free.splice(0, 2);
        if (this.#free.length < blockSize / 2) this.#reserveAhead();
        return { surveyId, surveyDefinitionId };
      }
      await this.#reserve();
    }
  }

  /** Spares the next calls the wait; a failure shows when a call finds no numbers. */
  #reserveAhead(): void {
    this.#reserve().catch(() => undefined);
  }

  async #reserveBlock(): Promise<void> {
    const outcome = await decideAndAppend<number, never>(this.#deps, {
      stream,
      context: systemContext('api', this.#deps.clock.now()),
      fold: blocks,
      store: this.#store,
      fromMemory: true,
      isFresh: true,
      decide: (given) => ({
        kind: 'events',
        events: [{ name: 'SurveyIdsReserved', data: { first: given * blockSize + 1, count: blockSize } }],
      }),
    });
    const own = outcome.kind === 'appended' ? outcome.events[0] : undefined;
    if (own === undefined) throw new Error('a reservation of survey numbers left no event');
    const { first, count } = await own.data('SurveyIdsReserved');
    this.#free.push(...Array.from({ length: count }, (_, index) => first + index));
  }
}
