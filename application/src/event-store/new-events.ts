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
  /** A chunk's memory may be reused for the next one. */
  chunks(): Iterable<Uint8Array>;
}

/** What a decision wants written. The maker of a source has checked it against the catalogue. */
export type NewEvent = DomainEvent | { readonly name: EventName; readonly source: JsonSource };

export interface StreamHead {
  readonly revision: ExpectedRevision;
  /** Of the last event, hex; 64 zeros at the start. */
  readonly chain: string;
  readonly recordedAt: string | null;
}

export interface StoredData {
  readonly type: string;
  readonly contentType: 'json' | 'binary';
  readonly data: Uint8Array;
}

export interface Linked {
  readonly events: readonly EventToAppend[];
  readonly head: { readonly revision: number; readonly chain: string; readonly recordedAt: string };
}

/** The stored data of a small event. TypeError (a bug) where it does not fit the catalogue. */
export function encodeDomainEvent(event: DomainEvent): StoredData {
  const text = JSON.stringify(event.data);
  // Checks what will be read back: members that are undefined are absent there.
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

/** A UUID v5 over operation, stream and index or step: a repeat makes the same event (design: "Streams and events"). */
export const eventId = (operationId: string, stream: string, indexOrStep: number | string): string =>
  v5(`${stream}/${indexOrStep}`, operationId);

export function linkEvents(
  target: { readonly stream: string; readonly head: StreamHead; readonly idOf: (index: number) => string },
  metadata: CallContext & { readonly recordedAt: string },
  events: readonly StoredData[],
): Linked {
  const text = JSON.stringify(metadata);
  let { chain } = target.head;
  let revision = target.head.revision === 'no-stream' ? -1 : target.head.revision;
  const linked = events.map((event, index): EventToAppend => {
    revision += 1;
    const id = target.idOf(index);
    const { type, data } = event;
    chain = chainOf(chain, { stream: target.stream, revision, id, type, data, metadata: text });
    return { ...event, id, metadata: Buffer.from(withChain(text, chain)) };
  });
  return { events: linked, head: { revision, chain, recordedAt: metadata.recordedAt } };
}
