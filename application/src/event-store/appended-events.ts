import { headAt, nextRevision, verifyNext, type LoadedState } from './fold.js';
import type { StateSource } from './load-state.js';
import { loadEvent, type LoadedEvent } from './loaded-event.js';
import type { StreamHead } from './new-events.js';
import {
  LogCorrupt,
  type EventReader,
  type EventToAppend,
  type Position,
  type RecordedEvent,
} from '../ports/event-log.js';

export interface Written<S> {
  readonly linked: readonly EventToAppend[];
  readonly result: { readonly position: Position; readonly repeated?: boolean };
  /** Only this call can write these ids: the log holds what was sent. */
  readonly isFresh: boolean;
  /** The state after an event that is stored as it was sent. */
  readonly after: ((state: S, event: LoadedEvent) => S | undefined) | undefined;
}

export interface Appended<S> {
  readonly loaded: LoadedState<S>;
  readonly events: readonly LoadedEvent[];
  readonly repeated: boolean;
}

export async function foldAppended<S>(
  { log, stream, fold }: StateSource<S>,
  base: LoadedState<S>,
  written: Written<S>,
): Promise<Appended<S>> {
  const { linked, result, after } = written;
  const events: LoadedEvent[] = [];
  let { state, head } = base;
  for await (const recorded of recordedEvents(log, stream, base.head, written)) {
    const sent = linked[events.length];
    const event = eventOf(log, head, recorded, sent);
    const known = isAsDecided(recorded, sent) ? after?.(state, event) : undefined;
    state = known ?? (await fold.evolve(state, event));
    head = headAt(event);
    events.push(event);
  }
  if (events.length !== linked.length) throw new LogCorrupt(`The stream ${stream} lost what was appended`);
  return { loaded: { state, head }, events, repeated: result.repeated ?? false };
}

const eventOf = (
  log: EventReader,
  head: StreamHead,
  recorded: RecordedEvent,
  sent: EventToAppend | undefined,
): LoadedEvent =>
  recorded.metadata === sent?.metadata ? loadEvent(log, recorded) : verifyNext(log, head, recorded);

/** The chain value ends the metadata and binds everything before it. */
const isAsDecided = (recorded: RecordedEvent, linked: EventToAppend | undefined): boolean =>
  linked !== undefined && Buffer.compare(recorded.metadata, linked.metadata) === 0;

/** Another process may have appended the same ids with other metadata: the stored event counts. */
async function* recordedEvents<S>(
  log: EventReader,
  stream: string,
  head: StreamHead,
  { linked, result, isFresh }: Written<S>,
): AsyncIterable<RecordedEvent> {
  const [first, ...more] = linked;
  const from = nextRevision(head);
  if (first !== undefined && more.length === 0 && (isFresh || result.repeated === false)) {
    yield { ...first, stream, revision: from, position: result.position };
    return;
  }
  yield* log.readStream(stream, { from, limit: linked.length, seen: true });
}
