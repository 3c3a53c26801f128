import { hash } from 'node:crypto';
import { hostname } from 'node:os';
import {
  LogCorrupt,
  type RecordedEvent,
  type EventToAppend,
  type ExpectedRevision,
} from '../ports/event-log.js';
import {
  checkEventData,
  isCallContext,
  storedTypeOf,
  type CallContext,
  type DomainEvent,
  type EventName,
} from '@rollcall/contracts';
import { v5, v7 } from 'uuid';
import type { Clock } from '../ports/clock.js';

/** The chain value before a stream's first event: 32 zero bytes, in hex. */
export const CHAIN_START = '0'.repeat(64);

export interface ChainLink {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: Uint8Array;
  /** The metadata's JSON text as stored, up to the comma before its last member `chain`; the last byte counts as the closing `}`. */
  readonly metadata: string | Uint8Array;
}

const TAIL = /^,"chain":"[0-9a-f]{64}"\}$/;
const TAIL_LENGTH = ',"chain":""}'.length + 64;

/** Reused: what is hashed is joined here, because one call is cheaper than an update for each field. */
let joined = Buffer.alloc(0);

/**
 * An event's chain value, in lower-case hex: SHA-256 over the previous one's (32 bytes, zero at first), then six fields,
 * each as its length (4 bytes, unsigned, big-endian) and its bytes: stream name, UTF-8 | revision, 8 bytes, unsigned,
 * big-endian | id, its 36 characters in lower case | type, UTF-8 | data as stored | metadata JSON text as stored, UTF-8,
 * without `,"chain":"..."`, with its closing `}`.
 */
export function chainOf(previous: string, { stream, revision, id, type, data, metadata }: ChainLink): string {
  const length = stream.length + id.length + type.length + data.length + metadata.length;
  const most = previous.length + 6 * 4 + 8 + 3 * length;
  if (most > joined.length) joined = Buffer.allocUnsafeSlow(most);
  let at = putField(stream, joined.write(previous, 'hex'));
  // The length of 8 bytes, and the first two of them.
  at = joined.writeUIntBE(8 << 16, at, 6);
  at = joined.writeUIntBE(revision, at, 6);
  at = putField(metadata, putField(data, putField(type, putField(id.toLowerCase(), at))));
  // The comma where the metadata comes from the log.
  joined[at - 1] = 0x7d;
  return hash('sha256', joined.subarray(0, at), 'hex');
}

/** Returns where the next field begins. */
function putField(field: string | Uint8Array, at: number): number {
  const start = at + 4;
  if (typeof field !== 'string') joined.set(field, start);
  const length = typeof field === 'string' ? joined.write(field, start) : field.length;
  joined.writeUInt32BE(length, at);
  return start + length;
}

/** `metadata` is the JSON text of a non-empty object: the chain value becomes its last member. */
export function withChain(metadata: string, chain: string): string {
  return `${metadata.slice(0, -1)},"chain":"${chain}"}`;
}

/** The chain value that is stored; undefined where the last member is not `chain`. */
export function storedChain(metadata: Uint8Array): string | undefined {
  const tail = tailOf(metadata);
  return TAIL.test(tail) ? tail.slice(-64 - '"}'.length, -'"}'.length) : undefined;
}

const tailOf = (metadata: Uint8Array): string =>
  asBuffer(metadata).toString('latin1', Math.max(0, metadata.length - TAIL_LENGTH));

export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Recomputes the chain value; undefined where it is not the stored one. */
export function chainBehind(previous: string, event: RecordedEvent): string | undefined {
  const { stream, revision, id, type, data } = event;
  const metadata = event.metadata.subarray(0, 1 - TAIL_LENGTH);
  const chain = chainOf(previous, { stream, revision, id, type, data, metadata });
  return `,"chain":"${chain}"}` === tailOf(event.metadata) ? chain : undefined;
}

/** As `chainBehind`. `LogCorrupt`, naming stream and revision, where the stored one differs. */
export function verifyChain(previous: string, event: RecordedEvent): string {
  const chain = chainBehind(previous, event);
  if (chain !== undefined) return chain;
  const { stream, revision, metadata } = event;
  if (storedChain(metadata) === undefined)
    throw new LogCorrupt(`The event at revision ${revision} of ${stream} carries no chain value`);
  throw new LogCorrupt(`The chain of ${stream} is broken at revision ${revision}`);
}

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
) {
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

export function recordedAtOf(event: RecordedEvent): number | undefined {
  const match = /"recordedAt":"(?<at>[^"]+)"/.exec(Buffer.from(event.metadata).toString());
  const at = Date.parse(match?.groups?.['at'] ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** A UUID v7: operations sort by the time of the call. */
export const newId = (): string => v7();

export const systemUsername = (part: 'api' | 'first-run' | 'start' | 'worker'): string =>
  `system:${part}@${hostname()}`;

export const systemContext = (
  part: Parameters<typeof systemUsername>[0],
  now: number,
  companyId: number | null = null,
): CallContext => ({
  companyId,
  operationId: newId(),
  userId: null,
  username: systemUsername(part),
  causationId: null,
  receivedAt: new Date(now).toISOString(),
});
