import {
  isStreamName,
  releaseOwn,
  LogCorrupt,
  type ReadOptions,
  type RecordedEvent,
  checkAppend,
  EventLogUnavailable,
  StreamDeleted,
  within,
  type AppendResult,
  type EventToAppend,
  type ExpectedRevision,
} from '@rollcall/application';
import {
  decodeLine,
  decodeNumber,
  decodeRecord,
  recordKind,
  recordStream,
  type EventRecord,
  lastPositionOf,
  lineOf,
  type LogStore,
  encodeLine,
  encodeNumber,
  recordId,
  recordOf,
  tombstoneOf,
} from './store.js';
import { causeOfFailure, codeOfFailure } from '../../lmdb-store.js';

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

interface WantedNames {
  readonly prefix: string;
  readonly without: readonly string[];
}

interface LogBatch extends Batch<RecordedEvent> {
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

export function readLogBatch(store: LogStore, after: number, names: WantedNames): LogBatch {
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

export function lastWantedOf(store: LogStore, names: WantedNames): number {
  for (const { key, value } of store.events.getRange({ reverse: true })) if (wanted(value, names)) return key;
  return 0;
}

function wanted(record: Buffer, { prefix, without }: WantedNames): boolean {
  if (recordKind(record) === 'tombstone') return false;
  const stream = recordStream(record);
  return isOwn(stream, prefix) && !without.some((left) => stream.startsWith(left, prefix.length));
}

const isOwn = (stream: string, prefix: string): boolean =>
  stream.startsWith(prefix) && isStreamName(stream.slice(prefix.length));

interface StreamEntry {
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
  for (const { key: stream, value } of store.streams.getRange({ start: from })) {
    if (!stream.startsWith(names.prefix + names.begin)) break;
    if (seen >= maxBatchEvents) return { items, next: stream };
    seen += 1;
    if (!isOwn(stream, names.prefix)) continue;
    const { deleted, firstPosition } = decodeLine(value);
    if (!deleted) items.push({ stream, position: firstPosition });
  }
  return { items, next: undefined };
}

interface Prepared {
  readonly stream: string;
  readonly head: number;
  readonly events: readonly PreparedEvent[];
}

interface PreparedEvent {
  readonly id: string;
  readonly record: Buffer;
  readonly chunk: Buffer | undefined;
}

/** Encodes before the write transaction; concurrent appends share a commit. `stream` has the prefix, `name` has not. */
export async function appendToStore(
  store: LogStore,
  names: { readonly stream: string; readonly name: string },
  expected: ExpectedRevision,
  events: readonly EventToAppend[],
): Promise<AppendResult> {
  checkAppend(names, expected, events);
  const head = expected === 'no-stream' ? -1 : expected;
  const prepared = events.map((event, index) => prepareEvent(names.stream, head + 1 + index, event));
  const verdict = await commit(store, () => write(store, { stream: names.stream, head, events: prepared }));
  for (const { record } of prepared) releaseOwn(record);
  if (verdict.outcome === 'deleted') throw new StreamDeleted(`The stream ${names.name} was deleted`);
  return verdict;
}

function prepareEvent(stream: string, revision: number, event: EventToAppend): PreparedEvent {
  const { buffer, byteOffset, byteLength } = event.data;
  const chunk = event.contentType === 'binary' ? Buffer.from(buffer, byteOffset, byteLength) : undefined;
  return { id: event.id, record: recordOf(stream, revision, event), chunk };
}

/** A child of a shared transaction: a failing callback changes nothing. A failed or late commit has an unknown outcome. */
async function commit<T>(store: LogStore, callback: () => T): Promise<T> {
  if (store.overdue.size > 0) throw lockIsHeld(store.lockMs);
  const transaction = store.write(callback, 'childTransaction');
  try {
    return await within(transaction, store.lockMs, lockIsHeld);
  } catch (error) {
    if (error instanceof EventLogUnavailable) {
      store.overdue.add(transaction);
      void transaction.catch(() => undefined).finally(() => store.overdue.delete(transaction));
      throw error;
    }
    const cause = await causeOfFailure(error);
    const code = await codeOfFailure(cause, store.folder);
    throw new EventLogUnavailable(`The event log could not write: ${code}`, { cause });
  }
}

const lockIsHeld = (ms: number): EventLogUnavailable =>
  new EventLogUnavailable(
    `The event log could not write within ${ms / 1_000} s: its disk stalls, or another process holds its write lock`,
  );

/** Tests whether the write lock can be had; writes nothing. `EventLogUnavailable` after `lockMs`. */
export const probeLock = (store: LogStore): Promise<void> => commit(store, () => undefined);

function write(store: LogStore, append: Prepared): AppendResult | { readonly outcome: 'deleted' } {
  const line = lineOf(store, append.stream);
  if (line?.deleted === true) return { outcome: 'deleted' };
  const actual = line?.lastRevision ?? -1;
  if (actual !== append.head) return repeated(store, append, actual);
  const before = lastPositionOf(store);
  putEvents(store, append, before);
  const firstPosition = line?.firstPosition ?? before + 1;
  const lastRevision = append.head + append.events.length;
  store.streams.putSync(append.stream, encodeLine({ deleted: false, lastRevision, firstPosition }));
  const position = before + append.events.length;
  store.meta.putSync('position', encodeNumber(position));
  return { outcome: 'appended', revision: lastRevision, position: BigInt(position), repeated: false };
}

function putEvents(store: LogStore, append: Prepared, before: number): void {
  for (const [index, { record, chunk }] of append.events.entries()) {
    const position = before + 1 + index;
    store.events.putSync(position, record, { append: true });
    if (chunk !== undefined) store.chunks.putSync(position, chunk, { append: true });
    store.revisions.putSync([append.stream, append.head + 1 + index], encodeNumber(position));
  }
}

/** Idempotent repeat: all ids are at the revisions after `expected`. */
function repeated(store: LogStore, append: Prepared, actual: number): AppendResult {
  const wrong: AppendResult = { outcome: 'wrong-revision', actual: actual < 0 ? 'no-stream' : actual };
  let position = 0;
  for (const [index, event] of append.events.entries()) {
    position = decodeNumber(store.revisions.get([append.stream, append.head + 1 + index]) ?? encodeNumber(0));
    const stored = store.events.get(position);
    if (stored === undefined || recordId(stored) !== event.id) return wrong;
  }
  return {
    outcome: 'appended',
    revision: append.head + append.events.length,
    position: BigInt(position),
    repeated: true,
  };
}

/** Deletes the events and leaves a tombstone at its own position, so that positions never decrease. */
export async function deleteFromStore(store: LogStore, stream: string): Promise<void> {
  await commit(store, () => {
    const line = lineOf(store, stream);
    if (line?.deleted === true) return;
    for (let revision = line?.lastRevision ?? -1; revision >= 0; revision--) {
      const position = decodeNumber(store.revisions.get([stream, revision]) ?? encodeNumber(0));
      store.events.removeSync(position);
      store.chunks.removeSync(position);
      store.revisions.removeSync([stream, revision]);
    }
    const position = lastPositionOf(store) + 1;
    store.events.putSync(position, tombstoneOf(stream), { append: true });
    store.streams.putSync(stream, encodeLine({ deleted: true, lastRevision: 0, firstPosition: position }));
    store.meta.putSync('position', encodeNumber(position));
  });
}
