import { foldOn, initialState, type Fold, type Folded, type LoadedState, type StateStore } from './fold.js';
import { storedMetadata, type LoadedEvent } from './loaded-event.js';
import type { StreamHead } from './new-events.js';
import { CHUNK_BYTES } from './staged-data.js';
import { damageOf } from './stream-damage.js';
import {
  LogCorrupt,
  LogWentBack,
  type DamageFinder,
  type EventReader,
  type RecordedEvent,
} from '../ports/event-log.js';

export interface StateSource<S> {
  readonly log: EventReader & DamageFinder;
  readonly stream: string;
  readonly fold: Fold<S>;
  readonly store?: StateStore<S> | undefined;
}

/** The state at the stream's end, which the store then has in memory. `LogCorrupt` where the chain does not hold. */
export async function loadState<S>(source: StateSource<S>): Promise<LoadedState<S>> {
  const { loaded } = await foldToEnd(source);
  source.store?.put(source.stream, loaded);
  return loaded;
}

/**
 * Folds to the stream's end with one read: from what the store has in memory, otherwise from its snapshot, otherwise from
 * the beginning. A snapshot counts only where the log has its chain value at its revision.
 */
export async function foldToEnd<S>(source: StateSource<S>, operationId?: string): Promise<Folded<S>> {
  const { store, stream, fold } = source;
  const known = store?.get(stream);
  if (known !== undefined) return foldFrom(source, known, operationId);
  const snapshot = await store?.snapshot?.(stream, -1);
  const folded = snapshot && (await foldBehind(source, snapshot, operationId));
  return folded ?? foldOn(source, initialState(fold), operationId);
}

/**
 * From this state to the stream's end; past large events by a snapshot, where there is one behind them. `LogWentBack` where
 * the log does not have what the state was folded from, `LogCorrupt` where others have taken it.
 */
export async function foldFrom<S>(
  source: StateSource<S>,
  from: LoadedState<S>,
  operationId?: string,
): Promise<Folded<S>> {
  const leap = new Leap(source);
  try {
    const fold = { ...source.fold, evolve: leap.evolve };
    const folded = await foldOn({ ...source, fold, events: behind(source, from.head) }, from, operationId);
    if (leap.hasLanded) return folded;
  } catch (error) {
    if (!(error instanceof SnapshotUnfit)) throw error;
    source.store?.unfit?.(source.stream);
  }
  return foldOn(source, from, operationId);
}

/** The events behind a head, which is read too: that a stream has nothing behind it does not say that it comes so far. */
async function* behind<S>(
  { log, stream }: StateSource<S>,
  { revision, chain }: StreamHead,
): AsyncGenerator<RecordedEvent> {
  const isBegun = revision !== 'no-stream';
  let isKnown = !isBegun;
  for await (const event of log.readStream(stream, isBegun ? { from: revision } : {})) {
    if (isKnown) yield event;
    else if (storedMetadata(event).chain !== chain) break;
    isKnown = true;
  }
  if (isKnown) return;
  const damage = await damageOf(log, stream);
  if (damage !== undefined) throw new LogCorrupt(damage);
  throw LogWentBack.of(`the events of ${stream}`, isBegun ? { stream, revision, chain } : undefined);
}

/** A snapshot is not what the log says. */
class SnapshotUnfit extends Error {}

/** Undefined where the log has another event there, or none. */
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

/**
 * The data of a large event is not read where a snapshot stands at its revision or behind: the state is taken from there,
 * once the log is read so far and has its chain value.
 */
class Leap<S> {
  readonly #source: StateSource<S>;
  #hasLooked = false;
  #target: LoadedState<S> | undefined;

  constructor(source: StateSource<S>) {
    this.#source = source;
  }

  /** False where the log did not come so far: what was folded is no state of the stream. */
  get hasLanded(): boolean {
    return this.#target === undefined;
  }

  readonly evolve = async (state: S, event: LoadedEvent): Promise<S> => {
    if (!this.#hasLooked && event.size > CHUNK_BYTES) await this.#look(event);
    const target = this.#target;
    if (target === undefined) return this.#source.fold.evolve(state, event);
    if (target.head.revision !== event.revision) return state;
    if (target.head.chain !== event.metadata.chain) throw new SnapshotUnfit();
    this.#target = undefined;
    return target.state;
  };

  async #look({ revision }: LoadedEvent): Promise<void> {
    const { store, stream } = this.#source;
    this.#hasLooked = true;
    this.#target = await store?.snapshot?.(stream, revision - 1);
  }
}
