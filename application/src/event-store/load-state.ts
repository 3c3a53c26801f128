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
