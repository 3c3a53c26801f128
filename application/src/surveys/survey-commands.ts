import { decideStep, type Decision, type PreparedEvents } from '../event-store/decide-and-append.js';
import { ownEvent } from '../event-store/loaded-event.js';
import { foldStream, initialState, type Fold, type StateStore } from '../event-store/load-state.js';
import type { CallContext } from '@rollcall/contracts';
import { surveys } from '@rollcall/domain';
import { type ReadModelWait, writtenOf } from '../own-read-models.js';

import { SurveyIds, type NewSurveyNumbers, type SurveyIdsDeps } from './survey-ids.js';

interface SurveyCommandDeps extends SurveyIdsDeps {
  readonly readModelWait: Pick<ReadModelWait, 'until'>;
}

export type SurveyResult =
  | {
      readonly kind: 'done';
      readonly surveyIds: readonly number[];
      /** The log already held the event. */
      readonly repeated: boolean;
    }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }
  | { readonly kind: 'unknown'; readonly surveyIds: readonly number[] };

export const surveyStream = (surveyId: number): string => `survey-${surveyId}`;

const ofSurveys = ['SurveyCreated', 'SurveyUpdated', 'SurveyStateChanged'] as const;

const fold: Fold<surveys.SurveyState> = {
  initial: surveys.initialState,
  evolve: async (state, event) => surveys.evolve(state, await ownEvent(event, ofSurveys)),
};

const unwritten: StateStore<surveys.SurveyState> = {
  get: () => initialState(fold),
  put: () => undefined,
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

/** A new state needs no reading back. */
function decided(
  command: surveys.SurveyCommand,
  state: surveys.SurveyState,
): Decision<surveys.SurveyRejection> | PreparedEvents<surveys.SurveyState> {
  const decision = surveys.decide(command, state);
  if (decision.kind !== 'events') return decision;
  const [event, ...more] = decision.events;
  if (event === undefined || more.length > 0) return decision;
  return { ...decision, after: (before) => surveys.evolve(before, event) };
}

export interface SentSurvey {
  readonly companyId: number;
  readonly reading: surveys.SurveyReading;
}

export class SurveyCommands {
  readonly #deps: SurveyCommandDeps;
  readonly #ids: SurveyIds;

  constructor(deps: SurveyCommandDeps) {
    this.#deps = deps;
    this.#ids = new SurveyIds(deps);
  }

  reserve(): Promise<NewSurveyNumbers> {
    return this.#ids.take();
  }

  async create(
    context: CallContext,
    { companyId, reading }: SentSurvey,
    reserved?: NewSurveyNumbers,
  ): Promise<SurveyResult> {
    // An invalid body should not use up numbers.
    if (reading.problems.length > 0) return refused(surveys.invalidSurvey(reading.problems), 0);
    const { surveyId, surveyDefinitionId } = reserved ?? (await this.reserve());
    const command = { name: 'CreateSurvey', companyId, surveyId, surveyDefinitionId, reading } as const;
    return this.#decide(context, surveyId, command);
  }

  async update(context: CallContext, { companyId, reading }: SentSurvey): Promise<SurveyResult> {
    const { id } = reading.sent;
    if (id === null) return refused(surveys.invalidSurvey(reading.problems), 0);
    const leavesEvent = context.idempotency !== undefined;
    return this.#decide(context, id, { name: 'UpdateSurvey', companyId, reading, leavesEvent });
  }

  /** Reads every survey before changing the first. One event per survey, so a repeat after an outage completes the rest. */
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
    return { kind: 'done', surveyIds, repeated: false };
  }

  async #decide(
    context: CallContext,
    surveyId: number,
    command: surveys.SurveyCommand,
    wait = true,
  ): Promise<SurveyResult> {
    const outcome = await decideStep(this.#deps, {
      stream: surveyStream(surveyId),
      context,
      fold,
      ...(command.name === 'CreateSurvey' && { store: unwritten, fromMemory: true }),
      // Under a key the operation may be another call's.
      isFresh: context.idempotency === undefined,
      decide: (state) => decided(command, state),
    });
    if (outcome.kind === 'refused') return refused(outcome.rejection, surveyId);
    if (outcome.kind === 'appended' && wait) await this.#deps.readModelWait.until(writtenOf(outcome.events));
    const repeated = outcome.kind === 'appended' && outcome.repeated;
    return { kind: 'done', surveyIds: [surveyId], repeated };
  }
}
