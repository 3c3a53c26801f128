import {
  decideAndAppend,
  eventData,
  foldStream,
  LogCorrupt,
  type Fold,
  type LoadedEvent,
} from '@rollcall/adapters';
import type { CallContext } from '@rollcall/contracts';
import { surveys } from '@rollcall/domain';
import type { ApiDeps } from '../deps.js';
import { SurveyIds } from './survey-ids.js';

export type SurveyCommandDeps = Pick<ApiDeps, 'log' | 'clock' | 'newId' | 'readModels'>;

/** What a call came to. A survey of another company is unknown too. */
export type SurveyResult =
  | { readonly kind: 'done'; readonly surveyIds: readonly number[] }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }
  | { readonly kind: 'unknown'; readonly surveyIds: readonly number[] };

/** How long an answer waits for the read model (design: "Read models"). */
const readModelWaitMs = 1_000;

export const surveyStream = (surveyId: number): string => `survey-${surveyId}`;

async function surveyEvent(event: LoadedEvent): Promise<surveys.SurveyEvent> {
  const { name } = event;
  if (name === 'SurveyCreated' || name === 'SurveyUpdated' || name === 'SurveyStateChanged')
    return { name, data: await eventData(event, name) };
  throw new LogCorrupt(`${name} at revision ${event.revision} does not belong on ${event.stream}`);
}

const fold: Fold<surveys.SurveyState> = {
  initial: surveys.initialState,
  evolve: async (state, event) => surveys.evolve(state, await surveyEvent(event)),
};

function refused(rejection: surveys.SurveyRejection, surveyId: number): SurveyResult {
  switch (rejection.kind) {
    case 'invalid':
      return rejection;
    case 'unknown-survey':
      return { kind: 'unknown', surveyIds: [surveyId] };
    default:
      return rejection satisfies never;
  }
}

/** Carries out the calls that write surveys; throws only for outages and bugs. */
export class SurveyCommands {
  readonly #deps: SurveyCommandDeps;
  readonly #ids: SurveyIds;

  constructor(deps: SurveyCommandDeps) {
    this.#deps = deps;
    this.#ids = new SurveyIds(deps);
  }

  async create(
    context: CallContext,
    companyId: number,
    reading: surveys.SurveyReading,
  ): Promise<SurveyResult> {
    // Judged here too, because a body that will be refused should not use up numbers.
    if (reading.problems.length > 0) return refused(surveys.invalidSurvey(reading.problems), 0);
    const numbers = await this.#ids.take();
    return this.#decide(context, numbers.surveyId, { name: 'CreateSurvey', companyId, ...numbers, reading });
  }

  /** A body without a readable Id has no survey to be compared with. */
  async update(
    context: CallContext,
    companyId: number,
    reading: surveys.SurveyReading,
  ): Promise<SurveyResult> {
    const { id } = reading.sent;
    if (id === null) return refused(surveys.invalidSurvey(reading.problems), 0);
    return this.#decide(context, id, { name: 'UpdateSurvey', companyId, reading });
  }

  /**
   * Every survey is looked up before the first is changed, so a refusal changes nothing. One event a survey: where an
   * outage comes between two of them, a repeat finishes the rest, because those that are done need nothing.
   */
  async changeState(
    context: CallContext,
    surveyIds: readonly number[],
    command: surveys.ChangeSurveyState,
  ): Promise<SurveyResult> {
    const unknown: number[] = [];
    const toChange: number[] = [];
    for (const id of surveyIds) {
      const { state } = await foldStream(this.#deps.log, surveyStream(id), fold);
      const decision = surveys.decide(command, state);
      if (decision.kind === 'refused') unknown.push(id);
      if (decision.kind === 'events') toChange.push(id);
    }
    if (unknown.length > 0) return { kind: 'unknown', surveyIds: unknown };
    for (const id of toChange) {
      const result = await this.#decide(context, id, command, id === toChange.at(-1));
      if (result.kind !== 'done') return result;
    }
    return { kind: 'done', surveyIds };
  }

  /** Waits, where it is told to, so that a caller who reads what was written finds it there, nearly always. */
  async #decide(
    context: CallContext,
    surveyId: number,
    command: surveys.SurveyCommand,
    wait = true,
  ): Promise<SurveyResult> {
    const outcome = await decideAndAppend(this.#deps, {
      stream: surveyStream(surveyId),
      context,
      fold,
      decide: (state) => surveys.decide(command, state),
    });
    if (outcome.kind === 'refused') return refused(outcome.rejection, surveyId);
    if (outcome.kind === 'appended' && wait)
      await this.#deps.readModels.reached(outcome.position, readModelWaitMs);
    return { kind: 'done', surveyIds: [surveyId] };
  }
}
