import { isStreamName, LogCorrupt, type ReadOptions, type RecordedEvent } from '@rollcall/application';
import {
  decodeNumber,
  decodeRecord,
  recordKind,
  recordStream,
  type EventRecord,
  lastPositionOf,
  lineOf,
  type LogStore,
} from './store.js';

/** One transaction per batch, yielded afterwards: no read transaction outlives a turn of the event loop. */
const maxBatchEvents = 256;
const BATCH_BYTES = 1_048_576;

export interface Batch<T> {
  readonly items: readonly T[];
  readonly next: number | undefined;
}

export type Range = Required<Omit<ReadOptions, 'seen'>>;

export interface StreamNames {
  readonly stream: string;
  readonly prefix: string;
}

export interface LogBatch extends Batch<RecordedEvent> {
  readonly last: number;
}

export function refresh(store: LogStore): void {
  store.root.resetReadTxn();
}

export function readStreamBatch(store: LogStore, names: StreamNames, range: Range): Batch<RecordedEvent> {
  refresh(store);
  const line = lineOf(store, names.stream);
  const items: RecordedEvent[] = [];
  if (line === undefined || line.deleted) return { items, next: undefined };
  let bytes = 0;
  for (const revision of revisionsOf(range, line.lastRevision)) {
    if (items.length >= maxBatchEvents || bytes >= BATCH_BYTES) return { items, next: revision };
    const event = eventAt(store, names, revision);
    bytes += event.data.byteLength;
    items.push(event);
  }
  return { items, next: undefined };
}

function* revisionsOf(range: Range, last: number): Generator<number> {
  const step = range.backwards ? -1 : 1;
  let revision = range.backwards ? Math.min(range.from, last) : range.from;
  for (let left = range.limit; left > 0 && revision >= 0 && revision <= last; left--) {
    yield revision;
    revision += step;
  }
}

function eventAt(store: LogStore, names: StreamNames, revision: number): RecordedEvent {
  const found = store.revisions.get([names.stream, revision]);
  const position = found === undefined ? 0 : decodeNumber(found);
  const bytes = store.events.get(position);
  if (bytes === undefined) {
    throw new LogCorrupt(`The event at revision ${revision} of ${names.stream} is missing`);
  }
  return recordedEvent(store, position, decodeRecord(bytes), names.prefix);
}

function recordedEvent(
  store: LogStore,
  position: number,
  record: EventRecord,
  prefix: string,
): RecordedEvent {
  const { kind, revision, id, type, metadata } = record;
  const data = kind === 'binary' ? store.chunks.get(position) : record.data;
  const stream = record.stream.slice(prefix.length);
  if (data === undefined) throw new LogCorrupt(`The data at revision ${revision} of ${stream} is missing`);
  const contentType = kind === 'binary' ? 'binary' : 'json';
  return { stream, revision, position: BigInt(position), id, type, contentType, data, metadata };
}

export function readLogBatch(
  store: LogStore,
  after: number,
  names: { readonly prefix: string; readonly without: readonly string[] },
): LogBatch {
  refresh(store);
  const last = lastPositionOf(store);
  const items: RecordedEvent[] = [];
  let bytes = 0;
  let seen = 0;
  for (const { key, value } of store.events.getRange({ start: after, exclusiveStart: true })) {
    if (seen >= maxBatchEvents || bytes >= BATCH_BYTES) return { items, next: key - 1, last };
    seen += 1;
    bytes += value.byteLength;
    if (!wanted(value, names)) continue;
    const event = recordedEvent(store, key, decodeRecord(value), names.prefix);
    bytes += event.contentType === 'binary' ? event.data.byteLength : 0;
    items.push(event);
  }
  return { items, next: undefined, last };
}

export function lastWantedOf(
  store: LogStore,
  names: { readonly prefix: string; readonly without: readonly string[] },
): number {
  for (const { key, value } of store.events.getRange({ reverse: true })) if (wanted(value, names)) return key;
  return 0;
}

function wanted(
  record: Buffer,
  names: { readonly prefix: string; readonly without: readonly string[] },
): boolean {
  if (recordKind(record) === 'tombstone') return false;
  const stream = recordStream(record);
  if (!isOwn(stream, names.prefix)) return false;
  return !names.without.some((left) => stream.startsWith(left, names.prefix.length));
}

const isOwn = (stream: string, prefix: string): boolean =>
  stream.startsWith(prefix) && isStreamName(stream.slice(prefix.length));

export interface StreamEntry {
  readonly stream: string;
  readonly position: number;
}

/** In order. `from` has the prefix. */
export function listStreamsBatch(
  store: LogStore,
  names: { readonly prefix: string; readonly begin: string },
  from: string,
): { readonly items: readonly StreamEntry[]; readonly next: string | undefined } {
  refresh(store);
  const items: StreamEntry[] = [];
  let seen = 0;
  for (const stream of store.streams.getKeys({ start: from })) {
    if (!stream.startsWith(names.prefix + names.begin)) break;
    if (seen >= maxBatchEvents) return { items, next: stream };
    seen += 1;
    if (!isOwn(stream, names.prefix)) continue;
    const line = lineOf(store, stream);
    if (line !== undefined && !line.deleted) items.push({ stream, position: line.firstPosition });
  }
  return { items, next: undefined };
}
