import type { CallContext } from '@rollcall/contracts';
import type { Clock } from '../ports/clock.js';
import { appendWithRetry, pause } from './append-with-retry.js';
import { foldAppended, type Appended } from './appended-events.js';
import { type Fold, type Folded, type LoadedState, type StateStore } from './fold.js';
import { foldFrom, foldToEnd } from './load-state.js';
import type { LoadedEvent } from './loaded-event.js';
import {
  eventId,
  ensureContext,
  linkEvents,
  recordedAtAfter,
  type NewEvent,
  type StoredData,
  type StreamHead,
} from './new-events.js';
import { EventLogUnavailable, type EventLog, type EventToAppend, type Position } from '../ports/event-log.js';
import { Preparation, type EventsToPrepare } from './preparation.js';

/** What a decision comes to: events to append, a refusal that leaves no fact, or nothing to do. */
export type Decision<R> =
  | { readonly kind: 'events'; readonly events: readonly NewEvent[] }
  | { readonly kind: 'refused'; readonly rejection: R }
  | { readonly kind: 'nothing' };

export type Outcome<S, R> =
  | {
      readonly kind: 'appended';
      readonly loaded: LoadedState<S>;
      /** Of the operation's last event. */
      readonly position: Position;
      readonly events: readonly LoadedEvent[];
      /** The events of this operation were in the log already. */
      readonly repeated: boolean;
    }
  | { readonly kind: 'refused'; readonly rejection: R; readonly loaded: LoadedState<S> }
  | { readonly kind: 'nothing'; readonly loaded: LoadedState<S> };

export interface DecideAndAppendDeps {
  readonly log: EventLog;
  readonly clock: Clock;
  /** Injected in tests. */
  readonly sleep?: (ms: number) => Promise<void>;
  /** Milliseconds from some moment on. Injected in tests. */
  readonly timer?: () => number;
}

export interface DecideRequest<S, R> {
  readonly stream: string;
  readonly context: CallContext;
  readonly fold: Fold<S>;
  readonly store?: StateStore<S>;
  /**
   * Decides on what the store has in memory, without a look at the log: the append tells whether that was its end, and what
   * comes to no append is decided at the end before it counts. For what costs little to decide twice.
   */
  readonly fromMemory?: boolean;
  /** The operation's id was made for this call, and nobody else writes its events: they need not be read back. */
  readonly isFresh?: boolean;
  /** Pure; run again when something that it could have read has changed. */
  readonly decide: (state: S) => Decision<R>;
}

/** Events, with what has to happen around their append. */
export interface PreparedEvents<S> extends EventsToPrepare {
  readonly kind: 'events';
  /** Removes what `beforeAppend` wrote, where no event of this name comes of the request after all. */
  readonly removeUnused?: () => Promise<void>;
  /**
   * The state after an event of these, without reading it back. Asked only for what stands in the log byte for byte as it
   * was decided, on top of the state that was decided on or one that the decision could not tell from it.
   */
  readonly after?: (state: S, event: LoadedEvent) => S | undefined;
}

/** One of several steps in which an operation writes to a stream, or one whose events need preparation. */
export interface StepRequest<S, R> extends Omit<DecideRequest<S, R>, 'decide'> {
  readonly decide: (state: S) => Decision<R> | PreparedEvents<S>;
  /** The id of the step's event at this index; whoever takes the same step gives the same one. From 0 on without it. */
  readonly idOf?: (index: number) => string;
}

/** How often a wrong revision may come without any event to show for it, before that is an outage. */
const FRUITLESS_READS = 5;
const FRUITLESS_WAIT_MS = 20;

/**
 * The one way from a decision into the log (design: "Deciding"): folds the stream to its head, or takes it for that what is
 * in memory, decides, appends with that revision. Unknown outcome: the same append again. Wrong revision: folds on; an event of this operation
 * among those folded is the outcome; where nothing folded touches the decision, the same events go to the new head;
 * otherwise it decides again. Throws `EventLogUnavailable` (outage), `LogCorrupt`, and TypeError (a bug of the caller).
 */
export const decideAndAppend = <S, R>(
  deps: DecideAndAppendDeps,
  request: DecideRequest<S, R>,
): Promise<Outcome<S, R>> => decideStep(deps, request);

/** As `decideAndAppend`; the outcome is the step's event among those folded, whatever else the operation has written. */
export async function decideStep<S, R>(
  deps: DecideAndAppendDeps,
  request: StepRequest<S, R>,
): Promise<Outcome<S, R>> {
  const { stream, context, store } = request;
  ensureContext(context);
  const idOf = request.idOf ?? ((index: number) => eventId(context.operationId, stream, index));
  const preparation = new Preparation(deps, context, request.isFresh === true);
  const run: Run<S, R> = { deps, request, idOf, preparation, decided: [] };
  const outcome = await runToOutcome(run);
  store?.put(stream, outcome.loaded);
  await removeUnused(run, outcome);
  return outcome;
}

interface Run<S, R> {
  readonly deps: DecideAndAppendDeps;
  readonly request: StepRequest<S, R>;
  readonly idOf: (index: number) => string;
  readonly preparation: Preparation;
  /** All that was decided to be appended, in order. */
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

/** Where the first decision is made. */
interface Standing<S> extends Folded<S> {
  /** Not compared with the log: others may have appended since. */
  readonly mayBeStale?: boolean;
}

async function begin<S, R>(run: Run<S, R>): Promise<Standing<S>> {
  const { deps, request } = run;
  const loaded = request.fromMemory === true ? request.store?.get(request.stream) : undefined;
  if (loaded !== undefined) return { loaded, count: 0, touched: false, own: [], mayBeStale: true };
  return ofStep(run, await foldToEnd({ log: deps.log, ...request }, request.context.operationId));
}

/** The outcome; or what was folded on, where that asks for another decision. */
async function decideOnce<S, R>(run: Run<S, R>, standing: Standing<S>): Promise<Outcome<S, R> | Standing<S>> {
  const { loaded, own } = standing;
  if (own.length > 0) return appendedOutcome(loaded, own, true);
  const decision = run.request.decide(loaded.state);
  if (decision.kind !== 'events' || decision.events.length === 0)
    return withoutEvents(run, standing, decision);
  run.decided.push(decision);
  const attempt = await append(run, loaded, decision);
  return 'events' in attempt ? appendedOutcome(attempt.loaded, attempt.events, attempt.repeated) : attempt;
}

/** A decision that no append will judge: it counts where it was made at the end of the log. */
async function withoutEvents<S, R>(
  run: Run<S, R>,
  { loaded, mayBeStale = false }: Standing<S>,
  decision: Decision<R> | PreparedEvents<S>,
): Promise<Outcome<S, R> | Standing<S>> {
  const later = mayBeStale ? await foldBehind(run, loaded) : undefined;
  if (later !== undefined && later.count > 0) return later;
  return decision.kind === 'events' ? { kind: 'nothing', loaded } : { ...decision, loaded };
}

/**
 * What was written for events that the outcome does not have is not left behind. Where the log is away by now the sweeper
 * finds it: the outcome stands, and is no outage.
 */
async function removeUnused<S, R>({ decided }: Run<S, R>, outcome: Outcome<S, R>): Promise<void> {
  const prepared = decided.findLast((each) => each.removeUnused);
  const written = outcome.kind === 'appended' ? outcome.events : [];
  if (written.some(({ name }) => name === prepared?.events[0]?.name)) return;
  try {
    await prepared?.removeUnused?.();
  } catch (error) {
    if (!(error instanceof EventLogUnavailable)) throw error;
  }
}

async function foldBehind<S, R>(run: Run<S, R>, base: LoadedState<S>): Promise<Folded<S>> {
  const { deps, request } = run;
  return ofStep(run, await foldFrom({ log: deps.log, ...request }, base, request.context.operationId));
}

/** An operation may write to a stream in several steps: of its own events only those of this one count. */
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

/** Appends at the head; hands back what was folded on where that asks for a new decision, or is the outcome. */
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
  while (fruitless < FRUITLESS_READS) {
    prepared = await preparation.renewed(decision, prepared);
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
