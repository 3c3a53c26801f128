import { EventLogUnavailable } from '@rollcall/application';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { isTooSlow } from './failures.js';
import type { ReadCall } from './read-call.js';
import { storedEvent, type StoredEvent } from './recorded-event.js';
import {
  atPosition,
  eventNearRequest,
  lastEventRequest,
  subscriptionRequest,
  type AllPosition,
  type Filter,
} from './requests.js';
import type { Wire } from './wire.js';

/** Calls in a row that bring nothing before the failure is the caller's. */
export const maxFruitless = 3;

type Reads = Pick<Wire, 'read'>;

export interface ScanOptions {
  /** Exclusive; undefined: the start. */
  readonly after: AllPosition | undefined;
  readonly filter: Filter;
  readonly signal: AbortSignal;
  /** The server has just sent this record: no check needed. */
  readonly isFresh?: boolean;
}

interface Passed {
  readonly event?: StoredEvent;
  readonly position: AllPosition;
}

/**
 * Subscribes to `$all` with a server-side filter and checkpoints. The server starts after the next existing record: if a
 * scavenge has removed the one at the position, it skips the following event. So a check proves that the record still
 * existed after the start; else the subscription begins at the last record before it.
 */
export const follow = (wire: Wire, options: ScanOptions): Promise<ReadCall> =>
  begin(wire, options, (request, signal) => wire.follow(request, signal));

async function begin(wire: Reads, options: ScanOptions, open: Wire['read']): Promise<ReadCall> {
  const { after, filter, signal, isFresh = false } = options;
  for (let position = after; ;) {
    const call = open(subscriptionRequest(position, filter), signal);
    if (isFresh) return call;
    const found = await begun(call, () => lastRecordUpTo(wire, position, signal));
    if (found?.commit === position?.commit || signal.aborted) return call;
    call.cancel();
    position = found;
  }
}

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

/** The position, if a record exists there, else the last one before it; undefined if there is none. */
async function lastRecordUpTo(
  wire: Reads,
  position: AllPosition | undefined,
  signal: AbortSignal,
): Promise<AllPosition | undefined> {
  if (position === undefined) return undefined;
  const next = await oneOf(wire.read(eventNearRequest(position), signal));
  if (next?.position === position.commit) return position;
  const before = next === undefined ? lastEventRequest() : eventNearRequest(atPosition(next.position), true);
  const last = await oneOf(wire.read(before, signal));
  // The record after the position came later than the read.
  if (last !== undefined && last.position > position.commit) return lastRecordUpTo(wire, position, signal);
  return last && atPosition(last.position);
}

export async function oneOf(call: ReadCall): Promise<StoredEvent | undefined> {
  for await (const event of call.events(1)) return event;
  return undefined;
}

export function passedBy(message: ReadResp): Passed | undefined {
  const event = storedEvent(message);
  if (event !== undefined) return { event, position: atPosition(event.position) };
  const checkpoint = message.getCheckpoint();
  if (checkpoint === undefined) return undefined;
  const commit = BigInt(checkpoint.getCommitPosition());
  return { position: { commit, prepare: BigInt(checkpoint.getPreparePosition()) } };
}

/**
 * All matches up to the present end. Resuming after the last position repeats nothing, even after a failure. The server drops
 * one that lags 32 events near the end; the next one resumes.
 */
export async function* scanToEnd(wire: Reads, options: ScanOptions): AsyncGenerator<Passed> {
  let { after } = options;
  for (let fruitless = 1; ; fruitless += 1)
    try {
      for await (const passed of scanOnce(wire, { ...options, after })) {
        after = passed.position;
        fruitless = 0;
        yield passed;
      }
      return;
    } catch (error) {
      if (!isTooSlow(error) || fruitless >= maxFruitless) throw error;
    }
}

async function* scanOnce(wire: Reads, options: ScanOptions): AsyncGenerator<Passed> {
  const call = await begin(wire, options, (request, signal) => wire.read(request, signal));
  for await (const message of call.messages()) {
    const passed = passedBy(message);
    if (passed !== undefined) yield passed;
    if (message.hasCaughtUp()) return;
  }
  if (!options.signal.aborted) throw endedEarly();
}

export const endedEarly = (): EventLogUnavailable =>
  new EventLogUnavailable('EventStoreDB ended a subscription', { isTransient: true });
