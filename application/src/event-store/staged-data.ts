import { createHash, type Hash } from 'node:crypto';
import { isStagedData, type CallContext, type StagedReference } from '@rollcall/contracts';
import { LogCorrupt, type EventReader, type RecordedEvent, type Position } from '../ports/event-log.js';
import { releaseMemory, releaseOwn } from '@rollcall/employee-lists';
import type { JsonSource } from './linked-events.js';

/** Larger data is stored in chunks of this size (design: "Large data"). */
export const CHUNK_BYTES = 524_288;

export const CHUNK_TYPE = 'DataPiece';

const BEGINNING = Buffer.from('{"staged":{');
const maxReferenceBytes = 400;

/**
 * `data-{operationId}-{attempt}`, 16 hex digits from 1: the next where a stream has other content or may be swept.
 * Older names end with 16 digits of the content's SHA-256, the same form: every version's sweeper knows both.
 */
export const stagedStream = ({ operationId }: CallContext, attempt: number): string =>
  `data-${operationId}-${attempt.toString(16).padStart(16, '0')}`;

export function stagedReference(data: Uint8Array): StagedReference | undefined {
  if (data.byteLength > maxReferenceBytes || BEGINNING.compare(data.subarray(0, BEGINNING.length)) !== 0)
    return undefined;
  const parsed: unknown = JSON.parse(Buffer.from(data).toString('utf8'));
  return isStagedData(parsed) ? parsed.staged : undefined;
}

/** `LogCorrupt` before the last chunk if count, bytes or SHA-256 (not if `isVerified`) differ. Valid until the next. */
export function readStaged(
  log: ChunkReader,
  reference: StagedReference,
  owner: { readonly stream: string; readonly revision: number },
  isVerified = false,
): AsyncGenerator<Uint8Array> {
  const what = `not what revision ${owner.revision} of ${owner.stream} refers to`;
  return readChunks(
    log,
    reference,
    () => new LogCorrupt(`The staged data in ${reference.stream} is ${what}`),
    isVerified,
  );
}

type ChunkReader = Pick<EventReader, 'readStream'>;

/** As `readStaged`, with the error that `corrupt` makes of the reason. Never more bytes than the reference says. */
export async function* readChunks(
  log: ChunkReader,
  reference: StagedReference,
  corrupt: (reason: string) => Error,
  isVerified = false,
): AsyncGenerator<Uint8Array> {
  const found = new Found(isVerified);
  let held: Uint8Array | undefined;
  for await (const chunk of log.readStream(reference.stream, { limit: reference.count + 1 })) {
    found.add(chunk.data);
    if (!isChunk(chunk) || exceeds(found, reference))
      throw corrupt('it has a chunk too many, or one of another type');
    if (held !== undefined) {
      yield held;
      releaseOwn(held);
    }
    held = chunk.data;
  }
  const missing = found.missing(reference);
  if (missing !== undefined) throw corrupt(missing);
  if (held === undefined) return;
  yield held;
  releaseOwn(held);
}

class Found implements Extent {
  count = 0;
  bytes = 0;
  readonly #hash: Hash | undefined;

  constructor(isVerified: boolean) {
    this.#hash = isVerified ? undefined : createHash('sha256');
  }

  add(chunk: Uint8Array): void {
    this.count += 1;
    this.bytes += chunk.byteLength;
    this.#hash?.update(chunk);
  }

  missing(reference: StagedReference): string | undefined {
    if (this.count === 0 || exceeds(reference, this))
      return `${this.count} of ${reference.count} chunks and ${this.bytes} of ${reference.bytes} bytes are there`;
    const isOther = this.#hash !== undefined && this.#hash.digest('hex') !== reference.sha256;
    return isOther ? 'its SHA-256 is another one' : undefined;
  }
}

const isChunk = (event: RecordedEvent): boolean =>
  event.type === CHUNK_TYPE && event.contentType === 'binary';

type Extent = Pick<StagedReference, 'count' | 'bytes'>;

const exceeds = (one: Extent, other: Extent): boolean => one.count > other.count || one.bytes > other.bytes;

/** A chunk in memory that belongs to the consumer. */
export interface CutChunk {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

export const newChunk = (): Uint8Array<ArrayBuffer> => Buffer.allocUnsafeSlow(CHUNK_BYTES);

/** Frees a whole chunk's memory; the collector has the rest behind it. */
export function freeChunk({ bytes }: Pick<CutChunk, 'bytes'>): void {
  if (bytes.byteLength === CHUNK_BYTES) releaseMemory(bytes.buffer);
}

/** Room for the end of a text behind its first part. */
const spareBytes = 1024;

/** Chunks of 512 KiB and a rest; at least one. A small text takes no more memory than it needs. */
export function* cutSource(source: JsonSource): Generator<CutChunk> {
  let chunk = new Uint8Array(0);
  let filled = 0;
  for (const bytes of source.chunks())
    for (let at = 0; at < bytes.byteLength;) {
      if (filled === CHUNK_BYTES) {
        yield { bytes: chunk, isLast: false };
        chunk = newChunk();
        filled = 0;
      }
      const part = bytes.subarray(at, at + CHUNK_BYTES - filled);
      chunk = withRoom(chunk, filled, filled + part.byteLength);
      chunk.set(part, filled);
      filled += part.byteLength;
      at += part.byteLength;
    }
  yield { bytes: filled === chunk.byteLength ? chunk : chunk.subarray(0, filled), isLast: true };
}

function withRoom(chunk: Uint8Array<ArrayBuffer>, filled: number, wanted: number): Uint8Array<ArrayBuffer> {
  if (wanted <= chunk.byteLength) return chunk;
  const larger = Buffer.allocUnsafeSlow(
    Math.min(Math.max(wanted + spareBytes, 2 * chunk.byteLength), CHUNK_BYTES),
  );
  larger.set(chunk.subarray(0, filled));
  releaseMemory(chunk.buffer);
  return larger;
}

/** Families of chunks: no projection needs them, and no anchor covers them. */
export const chunkStreams = ['data-', 'payload-'] as const;

/** Whether the sweeper deletes such streams; it deletes no others. */
export const isSwept = (stream: string): boolean => chunkStreams.some((begin) => stream.startsWith(begin));

/** The position of the last projected event. Chunks may follow it. */
export const lastProjected = (log: Pick<EventReader, 'lastPosition'>): Promise<Position | undefined> =>
  log.lastPosition({ withoutStreams: chunkStreams });
