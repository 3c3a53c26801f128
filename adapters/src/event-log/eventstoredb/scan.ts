import { EventLogUnavailable } from '@rollcall/application';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ReadCall } from './read-call.js';
import { storedEvent, type StoredEvent } from './recorded-event.js';
import {
  atPosition,
  eventNearRequest,
  lastEventsRequest,
  subscriptionRequest,
  type AllPosition,
  type Filter,
} from './requests.js';
import type { Wire } from './wire.js';

type Reads = Pick<Wire, 'read'>;

export interface ScanOptions {
  /** Exclusive; undefined for the beginning. */
  readonly after: AllPosition | undefined;
  readonly filter: Filter;
  readonly signal: AbortSignal;
  /** The server has just sent the record at this position: nobody looks for it again. */
  readonly isFresh?: boolean;
}

/** Everything that matches up to here has come: with this event, or with those before it. */
export interface Passed {
  readonly event?: StoredEvent;
  readonly position: AllPosition;
}

/**
 * A subscription to `$all`. Others' events are passed at the server, which says now and then how far it is.
 *
 * The server reads one record from the position on and begins behind whatever it finds: where a scavenge has taken the record
 * at the position away, the next event would never come. So nothing is handed out before that record was seen to be there
 * after the server had begun; otherwise the subscription begins anew behind the last record before it.
 */
export const follow = (wire: Wire, options: ScanOptions): Promise<ReadCall> =>
  begin(wire, options, (request, signal) => wire.follow(request, signal));

async function begin(wire: Reads, options: ScanOptions, open: Wire['read']): Promise<ReadCall> {
  const { after, filter, signal, isFresh = false } = options;
  for (let place = after; ;) {
    const call = open(subscriptionRequest(place, filter), signal);
    if (isFresh) return call;
    const standing = await begun(call, () => lastStanding(wire, place, signal));
    if (standing?.commit === place?.commit || signal.aborted) return call;
    call.cancel();
    place = standing;
  }
}

/** Once the server has begun, which it has done with its first message behind the confirmation. */
async function begun<T>(call: ReadCall, look: () => Promise<T>): Promise<T> {
  try {
    const confirmation = await call.next();
    const message = confirmation && (await call.next());
    if (message !== undefined) call.giveBack(message);
    return await look();
  } catch (error) {
    call.cancel();
    throw error;
  }
}

/** The place itself where a record stands there, otherwise the last one before it; undefined where there is none. */
async function lastStanding(
  wire: Reads,
  place: AllPosition | undefined,
  signal: AbortSignal,
): Promise<AllPosition | undefined> {
  if (place === undefined) return undefined;
  const next = await oneOf(wire.read(eventNearRequest(place), signal));
  if (next?.position === place.commit) return place;
  const before =
    next === undefined ? lastEventsRequest(1) : eventNearRequest(atPosition(next.position), true);
  const last = await oneOf(wire.read(before, signal));
  // What stands behind the place came after the look at it.
  if (last !== undefined && last.position > place.commit) return lastStanding(wire, place, signal);
  return last && atPosition(last.position);
}

async function oneOf(call: ReadCall): Promise<StoredEvent | undefined> {
  for await (const event of call.events(1)) return event;
  return undefined;
}

/** How far a message leads; undefined where it says nothing of that. */
export function passedBy(message: ReadResp): Passed | undefined {
  const event = storedEvent(message);
  if (event !== undefined) return { event, position: atPosition(event.position) };
  const checkpoint = message.getCheckpoint();
  if (checkpoint === undefined) return undefined;
  const commit = BigInt(checkpoint.getCommitPosition());
  return { position: { commit, prepare: BigInt(checkpoint.getPreparePosition()) } };
}

/**
 * What matches from a position to the present end. Whoever keeps the last position and goes on behind it passes nothing
 * twice, also where the scan fails on its way.
 */
export async function* scanToEnd(wire: Reads, options: ScanOptions): AsyncGenerator<Passed> {
  const call = await begin(wire, options, (request, signal) => wire.read(request, signal));
  for await (const message of call.messages()) {
    const passed = passedBy(message);
    if (passed !== undefined) yield passed;
    if (message.hasCaughtUp()) return;
  }
  if (!options.signal.aborted) throw endedEarly();
}

export const endedEarly = (): EventLogUnavailable =>
  new EventLogUnavailable('EventStoreDB ended a subscription');
