import type { CallContext } from '@rollcall/contracts';
import type { Decision as Decided } from '@rollcall/domain';
import type { Clock } from '../ports/clock.js';
import { appendWithRetry, pause } from './outage-retry.js';
import {
  foldAppended,
  type Appended,
  type Fold,
  type Folded,
  type LoadedState,
  type StateStore,
  foldFrom,
  foldToEnd,
} from './load-state.js';
import type { LoadedEvent } from './loaded-event.js';
import {
  eventId,
  ensureContext,
  linkEvents,
  recordedAtAfter,
  type NewEvent,
  type StoredData,
  type StreamHead,
} from './linked-events.js';
import { EventLogUnavailable, type EventLog, type EventToAppend, type Position } from '../ports/event-log.js';
import { Preparation, type EventsToPrepare } from './preparation.js';

export type Decision<R> = Decided<readonly NewEvent[], R>;

export type Outcome<S, R> =
  | {
      readonly kind: 'appended';
      readonly loaded: LoadedState<S>;
      readonly position: Position;
      readonly events: readonly LoadedEvent[];
      readonly repeated: boolean;
    }
  | { readonly kind: 'refused'; readonly rejection: R; readonly loaded: LoadedState<S> }
  | { readonly kind: 'nothing'; readonly loaded: LoadedState<S> };

export interface DecideAndAppendDeps {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly sleep?: (ms: number) => Promise<void>;
  readonly timer?: () => number;
}

interface DecideRequest<S, R> {
  readonly stream: string;
  readonly context: CallContext;
  readonly fold: Fold<S>;
  readonly store?: StateStore<S>;
  /** Decides on the cached state; outcomes without an append are decided again at the head. For cheap decisions. */
  readonly fromMemory?: boolean;
  /** The operation's id was made for this call: nobody else writes its events, and they need not be read back. */
  readonly isFresh?: boolean;
  /** Asked before each decision and each append; once true, the call ends in `DecidedTooLate`. */
  readonly isTooLate?: () => boolean;
  /** Pure. Runs again when something that it could have read has changed. */
  readonly decide: (state: S) => Decision<R>;
}

/** Nothing was appended, and nothing that was written for the request remains. */
export class DecidedTooLate extends Error {
  override readonly name = 'DecidedTooLate';
}

export interface PreparedEvents<S> extends EventsToPrepare {
  readonly kind: 'events';
  /** Removes what `beforeAppend` wrote where the request ends without an event of this name. */
  readonly removeUnused?: () => Promise<void>;
  /** The state after one of these events as decided, on the decided state or one that the decision cannot distinguish. */
  readonly after?: (state: S, event: LoadedEvent) => S | undefined;
}

export interface StepRequest<S, R> extends Omit<DecideRequest<S, R>, 'decide'> {
  readonly decide: (state: S) => Decision<R> | PreparedEvents<S>;
  /** The id of the step's event at this index, the same in every process. By default of the operation, from 0 on. */
  readonly idOf?: (index: number) => string;
}

const maxFruitlessReads = 5;
const FRUITLESS_WAIT_MS = 20;

/**
 * The one way from a decision into the log (design: "Deciding"). Unknown outcome: repeats the append. Wrong revision: folds
 * on; an event of this operation is the outcome; where no new event touches the decision, appends at the new head; else
 * decides again. Throws `EventLogUnavailable`, `LogCorrupt`, and TypeError (a bug of the caller).
 */
export const decideAndAppend = <S, R>(
  deps: DecideAndAppendDeps,
  request: DecideRequest<S, R>,
): Promise<Outcome<S, R>> => decideStep(deps, request);

/** As `decideAndAppend`; the outcome is the step's event, whatever else the operation has written. */
export async function decideStep<S, R>(
  deps: DecideAndAppendDeps,
  request: StepRequest<S, R>,
): Promise<Outcome<S, R>> {
  const { stream, context, store } = request;
  ensureContext(context);
  const idOf = request.idOf ?? ((index: number) => eventId(context.operationId, stream, index));
  const preparation = new Preparation(deps, context, request.isFresh === true);
  const run: Run<S, R> = { deps, request, idOf, preparation, decided: [] };
  try {
    const outcome = await runToOutcome(run);
    store?.put(stream, outcome.loaded);
    await removeUnused(run, outcome.kind === 'appended' ? outcome.events : []);
    return outcome;
  } catch (error) {
    if (error instanceof DecidedTooLate) await removeUnused(run, []);
    throw error;
  }
}

function ensureInTime<S, R>({ request }: Run<S, R>): void {
  if (request.isTooLate?.() === true) throw new DecidedTooLate(`${request.stream} was not decided in time`);
}

interface Run<S, R> {
  readonly deps: DecideAndAppendDeps;
  readonly request: StepRequest<S, R>;
  readonly idOf: (index: number) => string;
  readonly preparation: Preparation;
  readonly decided: PreparedEvents<S>[];
}

async function runToOutcome<S, R>(run: Run<S, R>): Promise<Outcome<S, R>> {
  let folded = await begin(run);
  while (true) {
    const turn = await decideOnce(run, folded);
    if ('kind' in turn) return turn;
    folded = turn;
  }
}

interface FoldedState<S> extends Folded<S> {
  /** Not compared with the log: others may have appended since. */
  readonly mayBeStale?: boolean;
}

async function begin<S, R>(run: Run<S, R>): Promise<FoldedState<S>> {
  const { deps, request } = run;
  const loaded = request.fromMemory === true ? request.store?.get(request.stream) : undefined;
  if (loaded !== undefined) return { loaded, count: 0, touched: false, own: [], mayBeStale: true };
  return ofStep(run, await foldToEnd({ log: deps.log, ...request }, request.context.operationId));
}

async function decideOnce<S, R>(
  run: Run<S, R>,
  folded: FoldedState<S>,
): Promise<Outcome<S, R> | FoldedState<S>> {
  const { loaded, own } = folded;
  if (own.length > 0) return appendedOutcome(loaded, own, true);
  ensureInTime(run);
  const decision = run.request.decide(loaded.state);
  if (decision.kind !== 'events' || decision.events.length === 0) return withoutEvents(run, folded, decision);
  run.decided.push(decision);
  const attempt = await append(run, loaded, decision);
  return 'events' in attempt ? appendedOutcome(attempt.loaded, attempt.events, attempt.repeated) : attempt;
}

/** An outcome without an append counts only where it was decided at the head. */
async function withoutEvents<S, R>(
  run: Run<S, R>,
  { loaded, mayBeStale = false }: FoldedState<S>,
  decision: Decision<R> | PreparedEvents<S>,
): Promise<Outcome<S, R> | FoldedState<S>> {
  const later = mayBeStale ? await foldBehind(run, loaded) : undefined;
  if (later !== undefined && later.count > 0) return later;
  return decision.kind === 'events' ? { kind: 'nothing', loaded } : { ...decision, loaded };
}

/** In an outage the sweeper deletes it later: the outcome stands. */
async function removeUnused<S, R>(
  { decided, preparation }: Run<S, R>,
  written: readonly LoadedEvent[],
): Promise<void> {
  const prepared = decided.findLast((each) => each.removeUnused);
  try {
    if (written.length === 0) await preparation.removeStaged();
    if (!written.some(({ name }) => name === prepared?.events[0]?.name)) await prepared?.removeUnused?.();
  } catch (error) {
    if (!(error instanceof EventLogUnavailable)) throw error;
  }
}

async function foldBehind<S, R>(run: Run<S, R>, base: LoadedState<S>): Promise<Folded<S>> {
  const { deps, request } = run;
  return ofStep(run, await foldFrom({ log: deps.log, ...request }, base, request.context.operationId));
}

function ofStep<S, R>({ idOf }: Run<S, R>, folded: Folded<S>): Folded<S> {
  const first = folded.own.findIndex(({ id }) => id === idOf(0));
  return { ...folded, own: first === -1 ? [] : folded.own.slice(first) };
}

function appendedOutcome<S, R>(
  loaded: LoadedState<S>,
  events: readonly LoadedEvent[],
  repeated: boolean,
): Outcome<S, R> {
  const position = events.at(-1)?.position ?? 0n;
  return { kind: 'appended', loaded, position, events, repeated };
}

async function append<S, R>(
  run: Run<S, R>,
  decided: LoadedState<S>,
  decision: PreparedEvents<S>,
): Promise<Appended<S> | Folded<S>> {
  const { deps, request, preparation } = run;
  const appending = { log: preparation.appender(), sleep: deps.sleep, timer: deps.timer };
  let prepared = await preparation.prepare(decision);
  let base = decided;
  let fruitless = 0;
  while (fruitless < maxFruitlessReads) {
    prepared = await preparation.renewed(decision, prepared);
    ensureInTime(run);
    const linked = link(run, base.head, prepared);
    const result = await appendWithRetry(appending, request.stream, base.head.revision, linked);
    if (result.outcome === 'appended') {
      const isFresh = request.isFresh === true && fruitless === 0;
      const written = { linked, result, isFresh, after: decision.after };
      return foldAppended({ log: deps.log, ...request }, base, written);
    }
    const folded = await foldBehind(run, base);
    if (folded.own.length > 0 || folded.touched) return folded;
    if (folded.count === 0) {
      fruitless += 1;
      await (deps.sleep ?? pause)(FRUITLESS_WAIT_MS);
    }
    base = folded.loaded;
  }
  throw new EventLogUnavailable(`The end of ${request.stream} cannot be read`);
}

function link<S, R>(
  { deps, request, idOf }: Run<S, R>,
  head: StreamHead,
  prepared: readonly StoredData[],
): readonly EventToAppend[] {
  const metadata = { ...request.context, recordedAt: recordedAtAfter(deps.clock, head.recordedAt) };
  return linkEvents({ stream: request.stream, head, idOf }, metadata, prepared).events;
}
