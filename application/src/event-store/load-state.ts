import { storedMetadata, type LoadedEvent, loadEvent } from './loaded-event.js';
import { type StreamHead, CHAIN_START, verifyChain } from './linked-events.js';
import { CHUNK_BYTES } from './staged-data.js';
import {
  damageOf,
  LogCorrupt,
  LogWentBack,
  type DamageFinder,
  type EventReader,
  type RecordedEvent,
  type EventToAppend,
  type Position,
} from '../ports/event-log.js';

export interface LoadedState<S> {
  readonly state: S;
  readonly head: StreamHead;
}

export interface Fold<S> {
  initial(): S;
  /** Never changes the given state, which may be shared. */
  evolve(state: S, event: LoadedEvent): S | Promise<S>;
  /** Whether the decision could have read what this event changes; true by default. */
  touches?(event: LoadedEvent): boolean;
}

/** Cached states, and perhaps snapshots. They may be stale, never wrong. */
export interface StateStore<S> {
  get(stream: string): LoadedState<S> | undefined;
  put(stream: string, loaded: LoadedState<S>): void;
  /** A snapshot after revision `behind` (-1: any), not compared with the log yet. */
  snapshot?(stream: string, behind: number): Promise<LoadedState<S> | undefined>;
  unfit?(stream: string): void;
}

export interface Folded<S> {
  readonly loaded: LoadedState<S>;
  readonly count: number;
  readonly touched: boolean;
  readonly own: readonly LoadedEvent[];
}

export const INITIAL_HEAD: StreamHead = { revision: 'no-stream', chain: CHAIN_START, recordedAt: null };

export const initialState = <S>(fold: Fold<S>): LoadedState<S> => ({
  state: fold.initial(),
  head: INITIAL_HEAD,
});

export const nextRevision = (head: StreamHead): number =>
  head.revision === 'no-stream' ? 0 : head.revision + 1;

/** Such a state never takes the place of the known one. */
export const isOlder = <S>({ head }: LoadedState<S>, known: LoadedState<S> | undefined): boolean =>
  known !== undefined && nextRevision(head) < nextRevision(known.head);

/** The state at the stream's head. `LogCorrupt` where the chain does not hold. */
export async function foldStream<S>(
  log: EventReader,
  stream: string,
  fold: Fold<S>,
  from: LoadedState<S> = initialState(fold),
): Promise<LoadedState<S>> {
  return (await foldOn({ log, stream, fold }, from)).loaded;
}

interface FoldSource<S> {
  readonly log: EventReader;
  readonly stream: string;
  readonly fold: Fold<S>;
  readonly events?: AsyncIterable<RecordedEvent>;
}

async function foldOn<S>(
  source: FoldSource<S>,
  from: LoadedState<S>,
  operationId?: string,
): Promise<Folded<S>> {
  const { log, stream, fold } = source;
  const events = source.events ?? log.readStream(stream, { from: nextRevision(from.head) });
  const own: LoadedEvent[] = [];
  let { state, head } = from;
  let count = 0;
  let touched = false;
  for await (const recorded of events) {
    const event = verifyNext(log, head, recorded);
    state = await fold.evolve(state, event);
    head = headAt(event);
    count += 1;
    touched ||= fold.touches?.(event) ?? true;
    if (event.metadata.operationId === operationId) own.push(event);
  }
  return { loaded: { state, head }, count, touched, own };
}

export function verifyNext(log: EventReader, head: StreamHead, recorded: RecordedEvent): LoadedEvent {
  if (recorded.revision !== nextRevision(head)) {
    throw new LogCorrupt(`The event at revision ${nextRevision(head)} of ${recorded.stream} is missing`);
  }
  verifyChain(head.chain, recorded);
  return loadEvent(log, recorded);
}

export function headAt(event: LoadedEvent): StreamHead {
  const { chain, recordedAt } = event.metadata;
  return { revision: event.revision, chain, recordedAt };
}

interface StateSource<S> {
  readonly log: EventReader & DamageFinder;
  readonly stream: string;
  readonly fold: Fold<S>;
  readonly store?: StateStore<S> | undefined;
}

export async function loadState<S>(source: StateSource<S>): Promise<LoadedState<S>> {
  const { loaded } = await foldToEnd(source);
  source.store?.put(source.stream, loaded);
  return loaded;
}

/** From the cached state, else the snapshot, else the start. A snapshot counts only where the log has its chain value. */
export async function foldToEnd<S>(source: StateSource<S>, operationId?: string): Promise<Folded<S>> {
  const { store, stream, fold } = source;
  const known = store?.get(stream);
  if (known !== undefined) return foldFrom(source, known, operationId);
  const snapshot = await store?.snapshot?.(stream, -1);
  const folded = snapshot && (await foldBehind(source, snapshot, operationId));
  return folded ?? foldOn(source, initialState(fold), operationId);
}

/** Skips large events by a snapshot. `LogWentBack` where the log lacks the state's last event, `LogCorrupt` if deleted. */
export async function foldFrom<S>(
  source: StateSource<S>,
  from: LoadedState<S>,
  operationId?: string,
): Promise<Folded<S>> {
  const jump = new SnapshotJump(source);
  try {
    const fold = { ...source.fold, evolve: jump.evolve };
    const folded = await foldOn({ ...source, fold, events: behind(source, from.head) }, from, operationId);
    if (jump.isResolved) return folded;
  } catch (error) {
    if (!(error instanceof SnapshotContradicted)) throw error;
    source.store?.unfit?.(source.stream);
  }
  return foldOn(source, from, operationId);
}

/** Reads from the head itself on: an empty result would not prove that the stream reaches the head. */
async function* behind<S>(
  { log, stream }: StateSource<S>,
  { revision, chain }: StreamHead,
): AsyncGenerator<RecordedEvent> {
  const isBegun = revision !== 'no-stream';
  let isKnown = !isBegun;
  for await (const event of log.readStream(stream, isBegun ? { from: revision, seen: true } : {})) {
    if (isKnown) yield event;
    else if (storedMetadata(event).chain !== chain) break;
    isKnown = true;
  }
  if (isKnown) return;
  const damage = await damageOf(log, stream);
  if (damage !== undefined) throw new LogCorrupt(damage);
  throw LogWentBack.of(`the events of ${stream}`, isBegun ? { stream, revision, chain } : undefined);
}

class SnapshotContradicted extends Error {}

async function foldBehind<S>(
  source: StateSource<S>,
  snapshot: LoadedState<S>,
  operationId: string | undefined,
): Promise<Folded<S> | undefined> {
  const { log, store, stream } = source;
  const { revision, chain } = snapshot.head;
  const from = revision === 'no-stream' ? 0 : revision;
  const events = log.readStream(stream, { from })[Symbol.asyncIterator]();
  const first = await events.next();
  if (first.done !== true && first.value.revision === revision && storedMetadata(first.value).chain === chain)
    return foldOn({ ...source, events: { [Symbol.asyncIterator]: () => events } }, snapshot, operationId);
  await events.return?.();
  store?.unfit?.(stream);
  return undefined;
}

/** Skips a large event's data: takes a later snapshot once the log has its chain value at that revision. */
class SnapshotJump<S> {
  readonly #source: StateSource<S>;
  #hasLooked = false;
  #target: LoadedState<S> | undefined;

  constructor(source: StateSource<S>) {
    this.#source = source;
  }

  get isResolved(): boolean {
    return this.#target === undefined;
  }

  readonly evolve = async (state: S, event: LoadedEvent): Promise<S> => {
    if (!this.#hasLooked && event.size > CHUNK_BYTES) await this.#look(event);
    const target = this.#target;
    if (target === undefined) return this.#source.fold.evolve(state, event);
    if (target.head.revision !== event.revision) return state;
    if (target.head.chain !== event.metadata.chain) throw new SnapshotContradicted();
    this.#target = undefined;
    return target.state;
  };

  async #look({ revision }: LoadedEvent): Promise<void> {
    const { store, stream } = this.#source;
    this.#hasLooked = true;
    this.#target = await store?.snapshot?.(stream, revision - 1);
  }
}

interface Written<S> {
  readonly linked: readonly EventToAppend[];
  readonly result: { readonly position: Position; readonly repeated?: boolean };
  /** Only this call can write these ids: the log holds what was sent. */
  readonly isFresh: boolean;
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
  // A repeat by a later call has other metadata than what is stored.
  const isAsSent = isFresh ? result.repeated !== true : result.repeated === false;
  if (first !== undefined && more.length === 0 && isAsSent) {
    yield { ...first, stream, revision: from, position: result.position };
    return;
  }
  yield* log.readStream(stream, { from, limit: linked.length, seen: true });
}
