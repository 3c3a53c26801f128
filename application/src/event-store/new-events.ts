import {
  checkEventData,
  isCallContext,
  storedTypeOf,
  type CallContext,
  type DomainEvent,
  type EventName,
} from '@rollcall/contracts';
import { v5 } from 'uuid';
import type { Clock } from '../ports/clock.js';
import { chainOf, withChain } from './chain.js';
import type { EventToAppend, ExpectedRevision } from '../ports/event-log.js';

/** JSON text in UTF-8 that is not held in memory. */
export interface JsonSource {
  /** The text in chunks; a chunk's memory may be used for the next one. */
  chunks(): Iterable<Uint8Array>;
}

/** What a decision wants written. A source is trusted to be checked against the catalogue by its maker. */
export type NewEvent = DomainEvent | { readonly name: EventName; readonly source: JsonSource };

/** A stream's end, as a writer must know it. */
export interface StreamHead {
  readonly revision: ExpectedRevision;
  /** The chain value of the last event, hex; 64 zeros at the start. */
  readonly chain: string;
  /** Of the last event; null at the start. */
  readonly recordedAt: string | null;
}

/** An event without its place: the bytes that go under `data`, or stand in for it. */
export interface StoredData {
  readonly type: string;
  readonly contentType: 'json' | 'binary';
  readonly data: Uint8Array;
}

export interface Linked {
  readonly events: readonly EventToAppend[];
  /** The head once they are appended. */
  readonly head: { readonly revision: number; readonly chain: string; readonly recordedAt: string };
}

/** The data of a small event as stored; an event that does not fit the catalogue is a bug and throws a TypeError. */
export function encodeDomainEvent(event: DomainEvent): StoredData {
  const text = JSON.stringify(event.data);
  // What will be read back is checked, not the object: members that are undefined are absent there.
  const checked = checkEventData(event.name, JSON.parse(text));
  if (!checked.ok) throw new TypeError(`An event does not fit the catalogue: ${checked.problem}`);
  return { type: storedTypeOf(event.name), contentType: 'json', data: Buffer.from(text) };
}

export function ensureContext(context: CallContext): void {
  if (!isCallContext(context))
    throw new TypeError('The context of a call does not fit the shape of event metadata');
}

/** max(clock, `recordedAt` of the event before it), ISO 8601 UTC with milliseconds. */
export function recordedAtAfter(clock: Clock, before: string | null): string {
  const now = new Date(clock.now()).toISOString();
  return before === null || now > before ? now : before;
}

/**
 * The id of the event that an operation writes to a stream at this index, or in the step of this name: a UUID v5, so that
 * a repeat of the operation is the same event (design: "Streams and events").
 */
export const eventId = (operationId: string, stream: string, place: number | string): string =>
  v5(`${stream}/${place}`, operationId);

/** Gives events their ids, metadata and chain values behind the head. `idOf` gives the id at an index among them. */
export function linkEvents(
  place: { readonly stream: string; readonly head: StreamHead; readonly idOf: (index: number) => string },
  metadata: CallContext & { readonly recordedAt: string },
  events: readonly StoredData[],
): Linked {
  const text = JSON.stringify(metadata);
  let { chain } = place.head;
  let revision = place.head.revision === 'no-stream' ? -1 : place.head.revision;
  const linked = events.map((event, index): EventToAppend => {
    revision += 1;
    const id = place.idOf(index);
    const { type, data } = event;
    chain = chainOf(chain, { stream: place.stream, revision, id, type, data, metadata: text });
    return { ...event, id, metadata: Buffer.from(withChain(text, chain)) };
  });
  return { events: linked, head: { revision, chain, recordedAt: metadata.recordedAt } };
}
