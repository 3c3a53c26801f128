import type { PayloadReference } from '@rollcall/contracts';
import { payloadStream } from '@rollcall/domain';
import {
  mayBeSwept,
  writeChunks,
  type Chunk,
  type ChunksDeps,
  type ChunkStream,
} from '../event-store/chunks.js';
import { ChunkBuffers } from '../event-store/cut-source.js';
import { eventId } from '../event-store/new-events.js';
import { EventLogUnavailable, StreamDeleted, type EventReader } from '../ports/event-log.js';
import { CHUNK_BYTES, readChunks } from '../event-store/staged-data.js';
import type { StoredBody } from './stored-body.js';

/** The body of a queued import is not what its `ImportQueued` refers to. Its text names the stream and what is wrong. */
export class PayloadCorrupt extends Error {
  override readonly name = 'PayloadCorrupt';
}

/** Where the body of a queued import goes. */
export const payloadReference = (
  operationId: string,
  { length, sha256 }: Pick<StoredBody, 'length' | 'sha256'>,
): PayloadReference => ({
  stream: payloadStream(operationId),
  count: Math.ceil(length / CHUNK_BYTES),
  bytes: length,
  sha256,
});

/**
 * Writes the body in chunks; again, or at the same time, does no harm. A body that was swept before an event referred to
 * it, or may be any moment, cannot be written again under its name: `EventLogUnavailable`.
 */
export async function writePayload(deps: ChunksDeps, to: ChunkStream, body: StoredBody): Promise<void> {
  const { stream } = to;
  if (await mayBeSwept(deps, to)) throw lostPayload(stream);
  const memory = new ChunkBuffers();
  try {
    await writeChunks(deps, to, chunksOf(to, body, memory), ({ bytes }) => memory.giveBack(bytes));
  } catch (error) {
    throw error instanceof StreamDeleted ? lostPayload(stream) : error;
  }
}

const lostPayload = (stream: string): EventLogUnavailable =>
  new EventLogUnavailable(`The payload in ${stream} was written too long before its import was queued`);

/** The body of an operation is always the same, and so are the ids of its chunks. */
function* chunksOf(
  { stream, context }: ChunkStream,
  body: StoredBody,
  memory: ChunkBuffers,
): Generator<Chunk> {
  for (let at = 0, index = 0; at < body.length; at += CHUNK_BYTES, index++) {
    const rest = body.length - at;
    const bytes = rest < CHUNK_BYTES ? Buffer.allocUnsafe(rest) : memory.take();
    body.copy(bytes, at);
    yield { bytes, id: eventId(context.operationId, stream, index) };
  }
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
