import { setImmediate } from 'node:timers/promises';
import { appendWithRetry } from './outage-retry.js';
import type { DecideAndAppendDeps, Outcome, PreparedEvents, StepRequest } from './decide-and-append.js';
import { headAt, nextRevision, type LoadedState } from './load-state.js';
import { loadEvent, type LoadedEvent } from './loaded-event.js';
import { ensureContext, eventId, linkEvents, recordedAtAfter } from './linked-events.js';
import { Preparation } from './preparation.js';
import type { EventToAppend, Position } from '../ports/event-log.js';

const maxAppendBytes = 512 * 1024;

const maxBlockingMs = 4;

interface Joined<S> {
  readonly linked: EventToAppend;
  readonly event: LoadedEvent;
  readonly loaded: LoadedState<S>;
}

/**
 * Takes steps of fresh operations on one stream in turn, on the cached state, and appends their events in one write.
 * Undefined: the step left nothing and is taken alone. `EventLogUnavailable` in an outage.
 */
export async function decideTogether<S, R>(
  deps: DecideAndAppendDeps,
  steps: readonly StepRequest<S, R>[],
): Promise<readonly (Outcome<S, R> | undefined)[]> {
  const [first] = steps;
  const base = first?.store?.get(first.stream);
  if (first === undefined || base === undefined) return steps.map(() => undefined);
  const joined = await joinSteps(deps, steps, base);
  const written = await appendJoined(deps, first, base, [...joined.values()]);
  return steps.map((step) => written && outcomeOf(joined.get(step), written));
}

interface WrittenTogether {
  readonly position: Position;
  readonly repeated: boolean;
}

async function appendJoined<S, R>(
  deps: DecideAndAppendDeps,
  { stream, store }: StepRequest<S, R>,
  base: LoadedState<S>,
  joined: readonly Joined<S>[],
): Promise<WrittenTogether | undefined> {
  const last = joined.at(-1);
  if (last === undefined || joined.length < 2) return undefined;
  const events = joined.map(({ linked }) => linked);
  const result = await appendWithRetry(deps, stream, base.head.revision, events);
  if (result.outcome !== 'appended') return undefined;
  store?.put(stream, last.loaded);
  return { position: result.position, repeated: result.repeated ?? false };
}

function outcomeOf<S, R>(
  own: Joined<S> | undefined,
  { position, repeated }: WrittenTogether,
): Outcome<S, R> | undefined {
  if (own === undefined) return undefined;
  const { loaded, event } = own;
  return { kind: 'appended', loaded, position, events: [{ ...event, position }], repeated };
}

async function joinSteps<S, R>(
  deps: DecideAndAppendDeps,
  steps: readonly StepRequest<S, R>[],
  base: LoadedState<S>,
): Promise<ReadonlyMap<StepRequest<S, R>, Joined<S>>> {
  const timer = deps.timer ?? (() => performance.now());
  const joined = new Map<StepRequest<S, R>, Joined<S>>();
  let { loaded, bytes, begun } = { loaded: base, bytes: 0, begun: timer() };
  for (const step of steps) {
    const next = await joinStep(deps, step, loaded);
    if (next !== undefined && bytes + next.linked.data.byteLength <= maxAppendBytes) {
      joined.set(step, next);
      loaded = next.loaded;
      bytes += next.linked.data.byteLength;
    }
    if (timer() - begun < maxBlockingMs) continue;
    await setImmediate();
    begun = timer();
  }
  return joined;
}

async function joinStep<S, R>(
  deps: DecideAndAppendDeps,
  step: StepRequest<S, R>,
  { state, head }: LoadedState<S>,
): Promise<Joined<S> | undefined> {
  const { stream, context } = step;
  ensureContext(context);
  const decision = step.decide(state);
  const joinable = decision.kind === 'events' ? asJoinable(decision) : undefined;
  if (joinable === undefined) return undefined;
  const prepared = await new Preparation(deps, context, true).prepare(joinable);
  const metadata = { ...context, recordedAt: recordedAtAfter(deps.clock, head.recordedAt) };
  const idOf = step.idOf ?? ((index: number) => eventId(context.operationId, stream, index));
  const [linked] = linkEvents({ stream, head, idOf }, metadata, prepared).events;
  if (linked === undefined) return undefined;
  const event = loadEvent(deps.log, { ...linked, stream, revision: nextRevision(head), position: 0n });
  const after = joinable.after?.(state, event);
  return after && { linked, event, loaded: { state: after, head: headAt(event) } };
}

function asJoinable<S>(decision: PreparedEvents<S>): PreparedEvents<S> | undefined {
  const { events, beforeAppend, after } = decision;
  return events.length === 1 && beforeAppend === undefined && after ? decision : undefined;
}
