import { CHAIN_START, verifyChain } from './chain.js';
import { loadEvent, type LoadedEvent } from './loaded-event.js';
import type { StreamHead } from './new-events.js';
import { LogCorrupt, type EventReader, type RecordedEvent } from '../ports/event-log.js';

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
