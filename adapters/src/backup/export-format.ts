import { asBuffer, CHUNK_TYPE, isStreamName, LogCorrupt, type RecordedEvent } from '@rollcall/application';
import { parsedJson } from '@rollcall/employee-lists/text';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';

const isLine = Compile(
  Type.Object({
    position: Type.String({ pattern: '^[0-9]{1,20}$' }),
    stream: Type.String(),
    revision: Type.Integer({ minimum: 0 }),
    id: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
    type: Type.String({ minLength: 1 }),
    data: Type.Optional(Type.String()),
    binary: Type.Optional(Type.String()),
    metadata: Type.String(),
  }),
);

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** One event as a line of JSON, from which every stored byte can be had back. `LogCorrupt` for text that is no UTF-8. */
export function lineOf({ position, data, metadata, contentType, ...event }: RecordedEvent): string {
  const { stream, revision, id, type } = event;
  try {
    const content =
      contentType === 'binary'
        ? { binary: asBuffer(data).toString('base64') }
        : { data: decoder.decode(data) };
    const text = { ...content, metadata: decoder.decode(metadata) };
    return `${JSON.stringify({ position: String(position), stream, revision, id, type, ...text })}\n`;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new LogCorrupt(`The event at revision ${revision} of ${stream} is no UTF-8`);
  }
}

/** Undefined where the line is none of an export. */
export function eventOfLine(line: string): RecordedEvent | undefined {
  const value = parsedJson(line);
  if (!isLine.Check(value) || !isStreamName(value.stream)) return undefined;
  const { position, stream, revision, id, type, data, binary, metadata } = value;
  const isChunk = type === CHUNK_TYPE;
  if ((data === undefined) !== isChunk || (binary !== undefined) !== isChunk) return undefined;
  const content =
    binary === undefined
      ? ({ contentType: 'json', data: Buffer.from(data ?? '') } as const)
      : ({ contentType: 'binary', data: Buffer.from(binary, 'base64') } as const);
  const at = { position: BigInt(position), stream, revision };
  return { ...at, id, type, ...content, metadata: Buffer.from(metadata) };
}

export const EXPORT_FORMAT = 1;

const FILE = '^events-[0-9]{6}\\.ndjson$';
export const isExportFile = (name: string): boolean => new RegExp(FILE).test(name);
export const fileName = (number: number): string => `events-${String(number).padStart(6, '0')}.ndjson`;

const count = Type.Integer({ minimum: 0 });

const ExportedFile = Type.Object({
  path: Type.String({ pattern: FILE }),
  bytes: count,
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  events: count,
});
export type ExportedFile = Static<typeof ExportedFile>;

const ExportManifest = Type.Object({
  format: Type.Literal(EXPORT_FORMAT),
  version: Type.String(),
  installationId: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
  /** Which digest key the events need. */
  keyCheck: Type.String(),
  exportedAt: Type.String(),
  /** Null: all of the log. */
  company: Type.Union([Type.Integer(), Type.Null()]),
  lastPosition: Type.String({ pattern: '^[0-9]{1,20}$' }),
  events: count,
  files: Type.Array(ExportedFile),
  publicKeys: Type.Array(Type.Object({ kid: Type.String(), pem: Type.String() })),
});

/** Written last: an export without it is unfinished (docs/log-format.md). */
export type ExportManifest = Static<typeof ExportManifest>;

const compiled = Compile(ExportManifest);
export const isExportManifest = (value: unknown): value is ExportManifest => compiled.Check(value);
