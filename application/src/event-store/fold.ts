import { CHAIN_START, verifyChain } from './chain.js';
import { loadEvent, type LoadedEvent } from './loaded-event.js';
import type { StreamHead } from './new-events.js';
import { LogCorrupt, type EventReader, type RecordedEvent } from '../ports/event-log.js';

/** A state and the place in the stream up to which it is folded. */
export interface LoadedState<S> {
  readonly state: S;
  readonly head: StreamHead;
}

export interface Fold<S> {
  initial(): S;
  /** The state after the event. It leaves the given state as it is: that may be shared. */
  evolve(state: S, event: LoadedEvent): S | Promise<S>;
  /** Whether the decision could have read what this event changes; true where it is not given. */
  touches?(event: LoadedEvent): boolean;
}

/** States in memory, and perhaps snapshots of states. They may be stale, never wrong. */
export interface StateStore<S> {
  /** What is in memory. */
  get(stream: string): LoadedState<S> | undefined;
  put(stream: string, loaded: LoadedState<S>): void;
  /** A snapshot behind this revision (-1: any), not compared with the log yet. */
  snapshot?(stream: string, behind: number): Promise<LoadedState<S> | undefined>;
  /** Is told where a snapshot is not what the log says. */
  unfit?(stream: string): void;
}

export interface Folded<S> {
  readonly loaded: LoadedState<S>;
  /** How many events were folded now. */
  readonly count: number;
  readonly touched: boolean;
  /** Those of the operation that was asked for. */
  readonly own: readonly LoadedEvent[];
}

/** Where every stream begins. */
export const INITIAL_HEAD: StreamHead = { revision: 'no-stream', chain: CHAIN_START, recordedAt: null };

export const initialState = <S>(fold: Fold<S>): LoadedState<S> => ({
  state: fold.initial(),
  head: INITIAL_HEAD,
});

/** The revision behind the head. */
export const nextRevision = (head: StreamHead): number =>
  head.revision === 'no-stream' ? 0 : head.revision + 1;

/** The state at the stream's end, from a known one or from the beginning. `LogCorrupt` where the chain does not hold. */
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
  /** Those behind the state, where they are being read already. */
  readonly events?: AsyncIterable<RecordedEvent>;
}

/** As `foldStream`, and says what was folded; each event's chain value and revision are verified on the way. */
export async function foldOn<S>(
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

/** The recorded event, once it is known to be the one behind the head. */
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
