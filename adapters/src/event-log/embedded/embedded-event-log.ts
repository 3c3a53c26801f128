import {
  checkStreamName,
  MAX_APPEND_BYTES,
  EventLogUnavailable,
  LogCorrupt,
  LogRefused,
  type EventLog,
  type Position,
  type ReadOptions,
  type RecordedEvent,
  type SubscriptionItem,
  type SubscriptionOptions,
} from '@rollcall/application';

import {
  appendToStore,
  deleteFromStore,
  probeLock,
  lastWantedOf,
  listStreamsBatch,
  readLogBatch,
  readStreamBatch,
  refresh,
  type Batch,
  type Range,
  type StreamNames,
} from './read.js';
import { lastPositionOf, openStore, type LogStore } from './store.js';
import { join } from 'node:path';
import { Waiters } from '../../waiters.js';

interface EmbeddedEventLogOptions {
  /** Created if missing. One host, one pid namespace, a local disk; several processes may share it. */
  readonly folder: string;
  readonly streamPrefix?: string;
  /** False gives up durability; for benchmarks only. */
  readonly sync?: boolean;
  readonly pollMs?: number;
  /** How long an append waits for other processes' write lock (10,000 ms by default). */
  readonly lockMs?: number;
  /** Every write is `LogRefused`. The folder need not be writable, and is not created. */
  readonly readOnly?: boolean;
}

interface Handle {
  readonly store: LogStore;
  readonly follower: Follower;
  readonly prefix: string;
  readonly closing: AbortController;
  readonly readOnly: boolean;
  /** The last position of the newest state that was read. */
  furthest: number;
}

/** The event log on LMDB (docs/event-log.md), durable per append. `EventLogUnavailable` where the folder cannot be used. */
export async function openEmbeddedEventLog(options: EmbeddedEventLogOptions): Promise<EventLog> {
  const { folder, sync = true, lockMs, readOnly = false } = options;
  const store = await openStore(folder, { sync, lockMs, readOnly });
  const follower = openFollower(store, options.pollMs);
  const handle: Handle = {
    store,
    follower,
    prefix: options.streamPrefix ?? '',
    closing: new AbortController(),
    readOnly,
    furthest: 0,
  };
  let closed: Promise<void> | undefined;
  return {
    maxAppendBytes: MAX_APPEND_BYTES,
    append: async (name, expected, events) => {
      ensureWritable(handle);
      return appendToStore(store, { stream: handle.prefix + name, name }, expected, events);
    },
    probeAppend: () => probeLock(store),
    readStream: (name, range = {}) => readStream(handle, name, range),
    readLast: async (name) => {
      for await (const event of readStream(handle, name, { backwards: true, limit: 1 })) return event;
      return undefined;
    },
    lastPosition: async ({ withoutStreams } = {}) => toPosition(await lastOf(handle, withoutStreams)),
    subscribeToAll: (subscription) => subscribe(handle, subscription),
    deleteStream: async (name) => {
      ensureWritable(handle);
      checkStreamName({ stream: handle.prefix + name, name });
      await deleteFromStore(store, handle.prefix + name);
    },
    listStreams: (begin) => listStreams(handle, begin),
    close: () => (closed ??= close(handle)),
  };
}

/** Counts tombstones unless streams are left out. */
async function lastOf(handle: Handle, without: readonly string[] = []): Promise<number> {
  const { store, prefix } = handle;
  const read = () =>
    guard(handle, () => {
      refresh(store);
      const all = lastPositionOf(store);
      return { all, wanted: without.length === 0 ? all : lastWantedOf(store, { prefix, without }) };
    });
  let last = await read();
  if (last.all < handle.furthest) {
    await probeLock(store);
    last = await read();
  }
  handle.furthest = last.all;
  return last.wanted;
}

const toPosition = (position: number): Position | undefined =>
  position === 0 ? undefined : BigInt(position);

function ensureOpen(handle: Handle): void {
  if (handle.closing.signal.aborted) throw new EventLogUnavailable('The event log is closed');
}

function ensureWritable(handle: Handle): void {
  ensureOpen(handle);
  if (handle.readOnly) throw new LogRefused(`the event log in ${handle.store.folder} is only read`);
}

async function close(handle: Handle): Promise<void> {
  handle.closing.abort();
  await handle.store.close();
  handle.follower.close();
}

/** Every error is an outage, except corruption. */
async function guard<T>(handle: Handle, read: () => T): Promise<T> {
  ensureOpen(handle);
  try {
    return await Promise.resolve(read());
  } catch (cause) {
    if (cause instanceof LogCorrupt) throw cause;
    throw new EventLogUnavailable('The event log could not be read', { cause });
  }
}

async function* readStream(
  handle: Handle,
  name: string,
  options: ReadOptions,
): AsyncGenerator<RecordedEvent> {
  const names = { stream: handle.prefix + name, prefix: handle.prefix };
  const backwards = options.backwards ?? false;
  let limit = options.limit ?? Infinity;
  let next: number | undefined = options.from ?? (backwards ? Infinity : 0);
  while (next !== undefined && limit > 0) {
    const range: Range = { from: next, limit, backwards };
    const batch: Batch<RecordedEvent> = await readBatch(handle, names, range, options.seen);
    yield* batch.items;
    limit -= batch.items.length;
    next = batch.next;
    if (next !== undefined) await otherWork();
  }
}

/** Where an event that was seen is missing, another process may have hidden it; the next write shows it. */
async function readBatch(
  handle: Handle,
  names: StreamNames,
  range: Range,
  seen = false,
): Promise<Batch<RecordedEvent>> {
  const read = () => guard(handle, () => readStreamBatch(handle.store, names, range));
  const batch = await read();
  if (batch.items.length > 0 || !seen) return batch;
  await probeLock(handle.store);
  return read();
}

async function* subscribe(handle: Handle, options: SubscriptionOptions): AsyncGenerator<SubscriptionItem> {
  const signal = AbortSignal.any([options.signal, handle.closing.signal]);
  const names = { prefix: handle.prefix, without: options.withoutStreams ?? [] };
  const aborted = (): boolean => signal.aborted;
  let after = Number(options.after ?? 0n);
  while (!aborted()) {
    const batch = await guard(handle, () => readLogBatch(handle.store, after, names));
    for (const event of batch.items) {
      yield { kind: 'event', event };
      if (aborted()) return;
    }
    after = batch.next ?? Math.max(after, batch.last);
    if (batch.next !== undefined) {
      await otherWork();
      continue;
    }
    yield { kind: 'caught-up', position: toPosition(after) };
    await handle.follower.waitBeyond(after, signal);
  }
}

async function* listStreams(
  handle: Handle,
  begin: string,
): AsyncGenerator<{ stream: string; position: Position }> {
  const names = { prefix: handle.prefix, begin };
  let next: string | undefined = names.prefix + begin;
  while (next !== undefined) {
    const from: string = next;
    const batch = await guard(handle, () => listStreamsBatch(handle.store, names, from));
    for (const { stream, position } of batch.items) {
      yield { stream: stream.slice(handle.prefix.length), position: BigInt(position) };
    }
    next = batch.next;
    if (next !== undefined) await otherWork();
  }
}

/** Yields between batches: a long read must not block the event loop. */
const otherWork = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Follower {
  waitBeyond(after: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** An unreadable log wakes all waiters: their own reads report the cause. */
function openFollower(store: LogStore, pollMs?: number): Follower {
  const room = new Waiters({
    hintName: `rollcall-event-log:${store.folder}`,
    file: () => join(store.folder, 'data.mdb'),
    pollMs,
    observe: () => {
      refresh(store);
      return lastPositionOf(store);
    },
  });
  store.root.on('aftercommit', () => setImmediate(() => room.changed()));
  return {
    waitBeyond: (after, signal) => room.wait((last) => last > after, signal),
    close: () => room.close(),
  };
}
