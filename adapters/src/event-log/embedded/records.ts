import type { EventToAppend } from '@rollcall/application';

export type RecordKind = 'json' | 'binary' | 'tombstone';

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
export interface StreamLine {
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
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
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
