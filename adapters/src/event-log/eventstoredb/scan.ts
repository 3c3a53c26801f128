import { EventLogUnavailable } from '@rollcall/application';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ReadCall } from './read-call.js';
import { storedEvent, type StoredEvent } from './recorded-event.js';
import { atPosition, subscriptionRequest, type AllPosition, type Filter } from './requests.js';
import type { Wire } from './wire.js';

export interface ScanOptions {
  /** Exclusive; undefined for the beginning. */
  readonly after: AllPosition | undefined;
  readonly filter: Filter;
  readonly signal: AbortSignal;
}

/** Everything that matches up to here has come: with this event, or with those before it. */
export interface Passed {
  readonly event?: StoredEvent;
  readonly position: AllPosition;
}

/** A subscription to `$all`. Others' events are passed at the server, which says now and then how far it is. */
export const follow = (wire: Wire, { after, filter, signal }: ScanOptions): ReadCall =>
  wire.follow(subscriptionRequest(after, filter), signal);

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
export async function* scanToEnd(wire: Wire, options: ScanOptions): AsyncGenerator<Passed> {
  const { after, filter, signal } = options;
  for await (const message of wire.read(subscriptionRequest(after, filter), signal).messages()) {
    const passed = passedBy(message);
    if (passed !== undefined) yield passed;
    if (message.hasCaughtUp()) return;
  }
  if (!signal.aborted) throw endedEarly();
}

export const endedEarly = (): EventLogUnavailable =>
  new EventLogUnavailable('EventStoreDB ended a subscription');
