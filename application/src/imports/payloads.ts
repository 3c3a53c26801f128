import type { PayloadReference } from '@rollcall/contracts';
import { payloadStream } from '@rollcall/domain';
import { mayBeSwept, writeChunks, type ChunksDeps, type ChunkStream } from '../event-store/chunks.js';
import { EventLogUnavailable, StreamDeleted, type EventReader } from '../ports/event-log.js';
import { CHUNK_BYTES, readChunks } from '../event-store/staged-data.js';

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

/**
 * Writes the body in chunks; again, or at the same time, does no harm. A body that was swept before an event referred to
 * it, or may be any moment, cannot be written again under its name: `EventLogUnavailable`.
 */
export async function writePayload(deps: ChunksDeps, to: ChunkStream, body: Uint8Array): Promise<void> {
  const { stream } = to;
  if (await mayBeSwept(deps, to)) throw lostPayload(stream);
  try {
    await writeChunks(deps, to, chunksOf(body));
  } catch (error) {
    throw error instanceof StreamDeleted ? lostPayload(stream) : error;
  }
}

const lostPayload = (stream: string): EventLogUnavailable =>
  new EventLogUnavailable(`The payload in ${stream} was written too long before its import was queued`);

function* chunksOf(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.byteLength; at += CHUNK_BYTES) yield body.subarray(at, at + CHUNK_BYTES);
}

/** The body, once chunks, bytes and SHA-256 are known to be right; `PayloadCorrupt` otherwise. */
export async function readPayload(
  log: Pick<EventReader, 'readStream'>,
  reference: PayloadReference,
): Promise<Uint8Array<ArrayBuffer>> {
  const { stream, bytes } = reference;
  const body = new Uint8Array(bytes);
  const what = `The payload in ${stream} is not what the queued import refers to`;
  let at = 0;
  for await (const chunk of readChunks(log, reference, (why) => new PayloadCorrupt(`${what}: ${why}`))) {
    body.set(chunk, at);
    at += chunk.byteLength;
  }
  return body;
}
