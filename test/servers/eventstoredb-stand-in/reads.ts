import { badReadAll, badReadStream, handlerThrew, streamDeleted, type Failure } from './errors.js';
import { filterOf } from './filters.js';
import type { StoredEvent } from './log-file.js';
import { eventMessage, notFoundMessage } from './messages.js';
import { nameIn, streams } from './protocol.js';
import { neighboursOf, passing } from './neighbours.js';
import { CallEnded, ended, fail, send, type ReadCall } from './sending.js';
import type { Store } from './store.js';
import { firstVisible, type StreamLine } from './streams.js';

type Options = streams.ReadReq.Options;

/** The type of an event that stands for a record which the server cannot read. */
const DAMAGED = 'Damaged';

const isForwards = (options: Options): boolean =>
  options.getReadDirection() === streams.ReadReq.Options.ReadDirection.FORWARDS;

/** A read of a stream: events and the end, or one message that there is no such stream. */
export async function readStream(store: Store, call: ReadCall, options: Options): Promise<void> {
  const stream = nameIn(options.getStream()?.getStreamIdentifier());
  const line = store.line(stream);
  if (store.isTombstoned(stream)) return fail(call, streamDeleted(stream));
  if (line === undefined || line.events.length === 0 || line.limits.softlyDeleted) {
    await send(call, notFoundMessage(stream));
  } else {
    if (asksForNothing(options)) return fail(call, badReadStream());
    if (!(await sendSelected(store, call, line, options))) return fail(call, badReadStream());
  }
  call.end();
}

/** False where one of the records cannot be read. */
async function sendSelected(
  store: Store,
  call: ReadCall,
  line: StreamLine,
  options: Options,
): Promise<boolean> {
  for (const stored of selected(line, options)) {
    if (stored.type === DAMAGED) return false;
    await sendEvent(store, call, stored);
  }
  return true;
}

/** The server never answers a read on that does not say in which form it wants the ids of events. */
async function sendEvent(store: Store, call: ReadCall, stored: StoredEvent): Promise<void> {
  if (call.request.getOptions()?.hasUuidOption() !== true) await ended(call);
  await send(call, eventMessage(store, stored));
}

const asksForNothing = (options: Options): boolean =>
  Number(options.getCount()) === 0 || (isForwards(options) && options.getStream()?.hasEnd() === true);

function* selected(line: StreamLine, options: Options): Generator<StoredEvent> {
  const visible = firstVisible(line, Date.now());
  const from = startRevision(options, line.events.length - 1);
  const step = isForwards(options) ? 1 : -1;
  let at = isForwards(options) ? Math.max(from, visible) : from;
  for (
    let left = Number(options.getCount());
    left > 0 && at >= visible && at < line.events.length;
    at += step
  ) {
    const stored = line.events[at];
    if (stored === undefined) continue;
    yield stored;
    left -= 1;
  }
}

function startRevision(options: Options, last: number): number {
  const where = options.getStream();
  if (where?.hasEnd() === true) return last;
  const revision = where?.hasRevision() === true ? Number(where.getRevision()) : 0;
  return isForwards(options) ? revision : Math.min(revision, last);
}

/** A read of the whole log: forwards from a position (inclusive), or backwards from one (exclusive). */
export async function readAll(store: Store, call: ReadCall, options: Options): Promise<void> {
  const start = startIndex(store, options);
  if (typeof start !== 'number') return fail(call, start);
  const chosen = filterOf(options);
  if ('code' in chosen) return fail(call, chosen);
  const { filter } = chosen;
  let left = Number(options.getCount());
  for (const stored of eventsFrom(store, options, start)) {
    if (left <= 0) break;
    if (filter === undefined || filter.matches(stored)) {
      await sendEvent(store, call, stored);
      left -= 1;
    } else await pass(call, stored);
  }
  call.end();
}

function* eventsFrom(store: Store, options: Options, start: number): Generator<StoredEvent> {
  const { all } = store.order;
  const step = isForwards(options) ? 1 : -1;
  const inside = insideOf(store, options);
  if (inside !== undefined) yield inside;
  let at = inside === undefined ? start : start + step;
  for (let stored = all[at]; stored !== undefined; stored = all[(at += step)]) yield stored;
}

/** Of one that stands for many the one at the place that is named. */
function insideOf(store: Store, options: Options): StoredEvent | undefined {
  const position = Number(options.getAll()?.getPosition()?.getCommitPosition() ?? -1);
  const stored = store.order.from(position);
  const isInside = isForwards(options) && store.order.within(position) !== undefined;
  return isInside && stored !== undefined ? { ...stored, position } : undefined;
}

async function pass(call: ReadCall, stored: StoredEvent): Promise<void> {
  const neighbours = neighboursOf(stored);
  if (neighbours === undefined) return;
  for await (const step of passing(neighbours, 0)) if (call.cancelled) throw new CallEnded(`at ${step}`);
}

function startIndex(store: Store, options: Options): number | Failure {
  const inside = insideOf(store, options);
  if (inside !== undefined) return store.order.indexFrom(inside.position);
  const back = isForwards(options) ? 0 : -1;
  const found = indexOf(store, options.getAll());
  if (found === 'impossible') return handlerThrew();
  return found === 'nowhere' ? badReadAll() : found + back;
}

/**
 * The index in `store.order.all` of the event at the place that is named, or behind the last one; where it was scavenged, of the
 * next one that is left. `nowhere` where no event begins there, `impossible` where the place contradicts itself.
 */
export function indexOf(
  store: Store,
  where: streams.ReadReq.Options.AllOptions | undefined,
): number | 'nowhere' | 'impossible' {
  const position = where?.getPosition();
  if (position === undefined) return where?.hasEnd() === true ? store.order.all.length : 0;
  const commit = Number(position.getCommitPosition());
  if (Number(position.getPreparePosition()) > commit) return 'impossible';
  return store.order.isPlace(commit) ? store.order.indexFrom(commit) : 'nowhere';
}
