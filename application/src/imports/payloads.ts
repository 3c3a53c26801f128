import { createHash } from 'node:crypto';
import type { CallContext, PayloadReference } from '@rollcall/contracts';
import { payloadStream } from '@rollcall/domain';
import { writeChunks, type ChunksDeps } from '../event-store/chunks.js';
import type { EventReader, RecordedEvent } from '../ports/event-log.js';
import { CHUNK_BYTES, CHUNK_TYPE } from '../event-store/staged-data.js';

/** The body of a queued import is not what its `ImportQueued` refers to. Its text names the stream and what is wrong. */
export class PayloadCorrupt extends Error {
  override readonly name = 'PayloadCorrupt';
}

/** Where the body of a queued import goes. */
export const payloadReference = (
  operationId: string,
  body: Uint8Array,
  sha256: string,
): PayloadReference => ({
  stream: payloadStream(operationId),
  count: Math.ceil(body.byteLength / CHUNK_BYTES),
  bytes: body.byteLength,
  sha256,
});

/** Writes the body in chunks; again, or at the same time, does no harm. */
export async function writePayload(
  deps: ChunksDeps,
  context: CallContext,
  { stream }: PayloadReference,
  body: Uint8Array,
): Promise<void> {
  await writeChunks(deps, { stream, context }, chunksOf(body));
}

function* chunksOf(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.byteLength; at += CHUNK_BYTES) yield body.subarray(at, at + CHUNK_BYTES);
}

/** The body, once chunks, bytes and SHA-256 are known to be right; `PayloadCorrupt` otherwise. */
export async function readPayload(
  log: Pick<EventReader, 'readStream'>,
  reference: PayloadReference,
): Promise<Uint8Array<ArrayBuffer>> {
  const { stream, count, bytes, sha256 } = reference;
  const body = new Uint8Array(bytes);
  const hash = createHash('sha256');
  const found = { chunks: 0, bytes: 0 };
  for await (const chunk of log.readStream(stream, { limit: count + 1 })) {
    if (!fits(chunk, found, reference))
      throw corrupt(reference, 'it has a chunk too many, or one of another type');
    body.set(chunk.data, found.bytes);
    hash.update(chunk.data);
    found.chunks += 1;
    found.bytes += chunk.data.byteLength;
  }
  if (found.chunks !== count || found.bytes !== bytes) {
    throw corrupt(
      reference,
      `${found.chunks} of ${count} chunks and ${found.bytes} of ${bytes} bytes are there`,
    );
  }
  if (hash.digest('hex') !== sha256) throw corrupt(reference, 'its SHA-256 is another one');
  return body;
}

const fits = (
  { type, contentType, data }: RecordedEvent,
  found: { readonly chunks: number; readonly bytes: number },
  { count, bytes }: PayloadReference,
): boolean =>
  type === CHUNK_TYPE &&
  contentType === 'binary' &&
  found.chunks < count &&
  found.bytes + data.byteLength <= bytes;

const corrupt = ({ stream }: PayloadReference, what: string): PayloadCorrupt =>
  new PayloadCorrupt(`The payload in ${stream} is not what the queued import refers to: ${what}`);
