import { randomUUID } from 'node:crypto';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import timestamp from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { MAX_APPEND_BYTES, type EventToAppend, type ExpectedRevision } from '@rollcall/application';

export interface StreamAppend {
  readonly stream: string;
  /** Without the prefix. */
  readonly name: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly EventToAppend[];
}

export interface AllPosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

export const atPosition = (position: bigint): AllPosition => ({ commit: position, prepare: position });

export interface Filter {
  readonly on: 'stream' | 'type';
  readonly regex: string;
}

/** The server reports its position after each window of this many events. */
const searchWindowEvents = 1_000;

const { ReadDirection: Direction } = streams.ReadReq.Options;

const LARGEST = String(Number.MAX_SAFE_INTEGER);

function identifierOf(stream: string): shared.StreamIdentifier {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Uint8Array.from(Buffer.from(stream, 'utf8')));
  return identifier;
}

export function appendRequests({ stream, expected, events }: StreamAppend): streams.AppendReq[] {
  const options = new streams.AppendReq.Options();
  options.setStreamIdentifier(identifierOf(stream));
  if (expected === 'no-stream') options.setNoStream(new shared.Empty());
  else options.setRevision(String(expected));
  const first = new streams.AppendReq();
  first.setOptions(options);
  return [first, ...events.map(proposal)];
}

function proposal(event: EventToAppend): streams.AppendReq {
  const request = new streams.AppendReq();
  request.setProposedMessage(described(new streams.AppendReq.ProposedMessage(), event));
  return request;
}

/** Unchanged bytes: chain values cover them. */
function described<M extends streams.AppendReq.ProposedMessage | streams.BatchAppendReq.ProposedMessage>(
  message: M,
  event: EventToAppend,
): M {
  message.setId(uuidOf(event.id));
  const contentType = event.contentType === 'json' ? 'application/json' : 'application/octet-stream';
  message.getMetadataMap().set('type', event.type).set('content-type', contentType);
  message.setData(event.data);
  message.setCustomMetadata(event.metadata);
  return message;
}

function uuidOf(text: string): shared.UUID {
  const id = new shared.UUID();
  id.setString(text);
  return id;
}

/** The server's clock may differ; our own deadline applies. */
const farDeadline = timestamp.Timestamp.fromDate(new Date('2100-01-01T00:00:00Z'));

/** Serialized, in memory of its own. */
export function batchRequest(id: string, { stream, expected, events }: StreamAppend): Buffer {
  const options = new streams.BatchAppendReq.Options();
  options.setStreamIdentifier(identifierOf(stream));
  options.setDeadline(farDeadline);
  if (expected === 'no-stream') options.setNoStream(new empty.Empty());
  else options.setStreamPosition(String(expected));
  const request = new streams.BatchAppendReq();
  request.setCorrelationId(uuidOf(id));
  request.setOptions(options);
  request.setProposedMessagesList(
    events.map((event) => described(new streams.BatchAppendReq.ProposedMessage(), event)),
  );
  request.setIsFinal(true);
  const { buffer, byteOffset, byteLength } = request.serializeBinary();
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** For ever, whether or not the stream exists. */
export function tombstoneRequest(stream: string): streams.TombstoneReq {
  const options = new streams.TombstoneReq.Options();
  options.setStreamIdentifier(identifierOf(stream));
  options.setAny(new shared.Empty());
  const request = new streams.TombstoneReq();
  request.setOptions(options);
  return request;
}

interface StreamRange {
  /** Inclusive; default: the start, or backwards the end. */
  readonly from: number | undefined;
  readonly limit: number | undefined;
  readonly backwards: boolean;
}

export function streamRequest(stream: string, { from, limit, backwards }: StreamRange): streams.ReadReq {
  const where = new streams.ReadReq.Options.StreamOptions();
  where.setStreamIdentifier(identifierOf(stream));
  if (from !== undefined) where.setRevision(String(from));
  else if (backwards) where.setEnd(new shared.Empty());
  else where.setStart(new shared.Empty());
  const options = readOptions(backwards);
  options.setStream(where);
  options.setCount(limit === undefined ? LARGEST : String(limit));
  options.setNoFilter(new shared.Empty());
  return requestOf(options);
}

export function lastEventRequest(filter?: Filter): streams.ReadReq {
  const where = new streams.ReadReq.Options.AllOptions();
  where.setEnd(new shared.Empty());
  const options = readOptions(true);
  options.setAll(where);
  options.setCount('1');
  setFilter(options, filter);
  return requestOf(options);
}

export function eventNearRequest(position: AllPosition, backwards = false): streams.ReadReq {
  const options = readOptions(backwards);
  options.setAll(allFrom(position));
  options.setCount('1');
  setFilter(options, undefined);
  return requestOf(options);
}

/** After a position (exclusive), then live. */
export function subscriptionRequest(after: AllPosition | undefined, filter: Filter): streams.ReadReq {
  const options = readOptions(false);
  options.setAll(allFrom(after));
  options.setSubscription(new streams.ReadReq.Options.SubscriptionOptions());
  setFilter(options, filter);
  return requestOf(options);
}

function allFrom(position: AllPosition | undefined): streams.ReadReq.Options.AllOptions {
  const where = new streams.ReadReq.Options.AllOptions();
  if (position === undefined) {
    where.setStart(new shared.Empty());
    return where;
  }
  const encoded = new streams.ReadReq.Options.Position();
  encoded.setCommitPosition(String(position.commit));
  encoded.setPreparePosition(String(position.prepare));
  where.setPosition(encoded);
  return where;
}

function readOptions(backwards: boolean): streams.ReadReq.Options {
  const uuids = new streams.ReadReq.Options.UUIDOption();
  uuids.setString(new shared.Empty());
  const options = new streams.ReadReq.Options();
  options.setReadDirection(backwards ? Direction.BACKWARDS : Direction.FORWARDS);
  options.setResolveLinks(false);
  options.setUuidOption(uuids);
  return options;
}

function setFilter(options: streams.ReadReq.Options, filter: Filter | undefined): void {
  if (filter === undefined) {
    options.setNoFilter(new shared.Empty());
    return;
  }
  const expression = new streams.ReadReq.Options.FilterOptions.Expression();
  expression.setRegex(filter.regex);
  const message = new streams.ReadReq.Options.FilterOptions();
  if (filter.on === 'stream') message.setStreamIdentifier(expression);
  else message.setEventType(expression);
  message.setMax(searchWindowEvents);
  message.setCheckpointintervalmultiplier(1);
  options.setFilter(message);
}

function requestOf(options: streams.ReadReq.Options): streams.ReadReq {
  const request = new streams.ReadReq();
  request.setOptions(options);
  return request;
}

const probe = (text: string): EventToAppend => ({
  id: randomUUID(),
  type: 'Probe',
  contentType: 'json',
  data: Buffer.from(JSON.stringify(text)),
  metadata: Buffer.from('{}'),
});

export const emptyEvent = (): EventToAppend => probe('');

export const largestEvent = (): EventToAppend => probe('-'.repeat(MAX_APPEND_BYTES - 2));
