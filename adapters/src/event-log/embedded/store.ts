import type { Database } from 'lmdb';
import { readableFolder, usableFolder, type FolderRole } from '../../lmdb-folder.js';
import { openLmdbStore, type OpenedStore } from '../../lmdb-store.js';
import { EventLogUnavailable, type EventToAppend } from '@rollcall/application';

/** Of the layout below. A newer version's store is refused. */
const FORMAT_VERSION = 1;

const GIB = 1024 ** 3;
/**
 * The databases; all values are binary. `meta`: `format`, and `position` of the last event. `streams`: name -> line.
 * `revisions`: [stream, revision] -> position. `events`: position -> record. `chunks` (under its old stored name):
 * position -> binary data, which subscriptions may leave out.
 */
export interface LogStore extends OpenedStore<Buffer> {
  readonly meta: Database<Buffer, string>;
  readonly streams: Database<Buffer, string>;
  readonly revisions: Database<Buffer, [stream: string, revision: number]>;
  readonly events: Database<Buffer, number>;
  readonly chunks: Database<Buffer, number>;
  readonly lockMs: number;
  readonly overdue: Set<Promise<unknown>>;
}

interface LogStoreOptions {
  readonly sync: boolean;
  readonly lockMs?: number | undefined;
  /** Reads a folder that need not be writable; nothing is written to the data. */
  readonly readOnly?: boolean | undefined;
}

const LOCK_MS = 10_000;

export const logRole: FolderRole = {
  what: 'event log',
  unavailable: (message, cause) => new EventLogUnavailable(message, { cause }),
  mend: 'Restore it from a backup',
};

/** `EventLogUnavailable`, with what to do, for a folder that is read-only, on a network disk, or of a newer version. */
export async function openStore(
  folder: string,
  { sync, lockMs = LOCK_MS, readOnly = false }: LogStoreOptions,
): Promise<LogStore> {
  const path = await (readOnly ? readableFolder : usableFolder)(folder, logRole);
  const options = { folder: path, sync, readOnly, mapSize: 256 * GIB, maxDbs: 8, maxReaders: 1024 };
  const binary = { encoding: 'binary' } as const;
  return openLmdbStore<Buffer, Omit<LogStore, keyof OpenedStore<Buffer>>>(
    { ...options, ...binary },
    (root) => {
      const meta = root.openDB<Buffer, string>({ name: 'meta', ...binary });
      checkFormat(meta, folder);
      return {
        lockMs,
        overdue: new Set<Promise<unknown>>(),
        meta,
        streams: root.openDB({ name: 'streams', ...binary }),
        revisions: root.openDB({ name: 'revisions', ...binary }),
        events: root.openDB({ name: 'events', ...binary }),
        chunks: root.openDB({ name: 'pieces', ...binary }),
      };
    },
  );
}

function checkFormat(meta: Database<Buffer, string>, folder: string): void {
  const stored = meta.get('format');
  const found = stored === undefined ? FORMAT_VERSION : decodeNumber(stored);
  if (stored === undefined) meta.putSync('format', encodeNumber(FORMAT_VERSION));
  if (found > FORMAT_VERSION) {
    throw new EventLogUnavailable(
      `The event log in ${folder} has format ${found}; this version reads up to ${FORMAT_VERSION}: update Rollcall`,
    );
  }
}

export function lineOf(store: LogStore, stream: string): StreamLine | undefined {
  const bytes = store.streams.get(stream);
  return bytes === undefined ? undefined : decodeLine(bytes);
}

/** 0 in an empty log; as seen by the current transaction. */
export function lastPositionOf(store: LogStore): number {
  const bytes = store.meta.get('position');
  return bytes === undefined ? 0 : decodeNumber(bytes);
}

type RecordKind = 'json' | 'binary' | 'tombstone';

export interface EventRecord {
  readonly kind: RecordKind;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly metadata: Uint8Array;
  /** Empty for binary data, which has its own database. */
  readonly data: Uint8Array;
}

/** Revisions and positions are below 2^48. */
interface StreamLine {
  readonly deleted: boolean;
  readonly lastRevision: number;
  readonly firstPosition: number;
}

const KINDS: readonly RecordKind[] = ['json', 'binary', 'tombstone'];
const NUMBER = 6;
const ID_AT = 1;
const REVISION_AT = ID_AT + 16;
const STREAM_AT = REVISION_AT + NUMBER;
const NOTHING = new Uint8Array(0);
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** kind (1) | id (16) | revision (6) | stream (2 + n) | type (2 + n) | metadata (4 + n) | data; big-endian. */
function encodeRecord(record: EventRecord): Buffer {
  const stream = Buffer.from(record.stream);
  const type = Buffer.from(record.type);
  const length = STREAM_AT + 8 + stream.length + type.length + record.metadata.length + record.data.length;
  const bytes = Buffer.allocUnsafe(length);
  bytes[0] = KINDS.indexOf(record.kind);
  bytes.write(record.id.replaceAll('-', ''), ID_AT, 'hex');
  bytes.writeUIntBE(record.revision, REVISION_AT, NUMBER);
  let at = bytes.writeUInt16BE(stream.length, STREAM_AT);
  bytes.set(stream, at);
  at = bytes.writeUInt16BE(type.length, at + stream.length);
  bytes.set(type, at);
  at = bytes.writeUInt32BE(record.metadata.length, at + type.length);
  bytes.set(record.metadata, at);
  bytes.set(record.data, at + record.metadata.length);
  return bytes;
}

export function decodeRecord(bytes: Buffer): EventRecord {
  const stream = recordStream(bytes);
  const typeAt = STREAM_AT + 2 + bytes.readUInt16BE(STREAM_AT);
  const metadataAt = typeAt + 2 + bytes.readUInt16BE(typeAt);
  const dataAt = metadataAt + 4 + bytes.readUInt32BE(metadataAt);
  return {
    kind: recordKind(bytes),
    stream,
    revision: bytes.readUIntBE(REVISION_AT, NUMBER),
    id: recordId(bytes),
    type: bytes.toString('utf8', typeAt + 2, metadataAt),
    metadata: bytes.subarray(metadataAt + 4, dataAt),
    data: bytes.subarray(dataAt),
  };
}

export const recordKind = (bytes: Buffer): RecordKind => KINDS[bytes[0] ?? 0] ?? 'tombstone';

export const recordStream = (bytes: Buffer): string =>
  bytes.toString('utf8', STREAM_AT + 2, STREAM_AT + 2 + bytes.readUInt16BE(STREAM_AT));

export function recordId(bytes: Buffer): string {
  const hex = bytes.toString('hex', ID_AT, REVISION_AT);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function recordOf(stream: string, revision: number, event: EventToAppend): Buffer {
  const data = event.contentType === 'json' ? event.data : NOTHING;
  return encodeRecord({ ...event, kind: event.contentType, stream, revision, data });
}

export const tombstoneOf = (stream: string): Buffer =>
  encodeRecord({
    kind: 'tombstone',
    stream,
    revision: 0,
    id: NO_ID,
    type: '',
    metadata: NOTHING,
    data: NOTHING,
  });

export function encodeNumber(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(NUMBER);
  bytes.writeUIntBE(value, 0, NUMBER);
  return bytes;
}

export const decodeNumber = (bytes: Buffer): number => bytes.readUIntBE(0, NUMBER);

export function encodeLine(line: StreamLine): Buffer {
  const bytes = Buffer.allocUnsafe(1 + 2 * NUMBER);
  bytes[0] = line.deleted ? 1 : 0;
  bytes.writeUIntBE(line.lastRevision, 1, NUMBER);
  bytes.writeUIntBE(line.firstPosition, 1 + NUMBER, NUMBER);
  return bytes;
}

export const decodeLine = (bytes: Buffer): StreamLine => ({
  deleted: bytes[0] === 1,
  lastRevision: bytes.readUIntBE(1, NUMBER),
  firstPosition: bytes.readUIntBE(1 + NUMBER, NUMBER),
});
