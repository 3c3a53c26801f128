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
import { PayloadCorrupt } from '../ports/problems.js';
import { CHUNK_BYTES, readChunks } from '../event-store/staged-data.js';
import { BodyFile } from './body-file.js';
import type { ImportEngineOptions } from './import-deps.js';
import { importLimits } from '../ports/import-limits.js';
import { bodyInMemory, type StoredBody } from './stored-body.js';

export const payloadReference = (
  operationId: string,
  { length, sha256 }: Pick<StoredBody, 'length' | 'sha256'>,
): PayloadReference => ({
  stream: payloadStream(operationId),
  count: Math.ceil(length / CHUNK_BYTES),
  bytes: length,
  sha256,
});

/** Idempotent, also concurrently. `EventLogUnavailable` where the body was or may be swept before an event refers to it. */
export async function writePayload(deps: ChunksDeps, to: ChunkStream, body: StoredBody): Promise<void> {
  const memory = new ChunkBuffers();
  await writeAll(deps, to, chunksOf(to, body, memory), ({ bytes }) => memory.giveBack(bytes));
}

/** Verifies the other import's body while copying it: `PayloadCorrupt`. */
export function copyPayload(deps: ChunksDeps, to: ChunkStream, from: PayloadReference): Promise<void> {
  return writeAll(deps, to, copiesOf(to, verifiedChunks(deps.log, from)));
}

async function writeAll(
  deps: ChunksDeps,
  to: ChunkStream,
  chunks: Iterable<Chunk> | AsyncIterable<Chunk>,
  written?: (chunk: Chunk) => void,
): Promise<void> {
  const { stream } = to;
  if (await mayBeSwept(deps, to)) throw lostPayload(stream);
  try {
    await writeChunks(deps, to, chunks, written);
  } catch (error) {
    throw error instanceof StreamDeleted ? lostPayload(stream) : error;
  }
}

async function* copiesOf(to: ChunkStream, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Chunk> {
  let index = 0;
  for await (const bytes of chunks) yield { bytes, id: idOf(to, index++) };
}

const lostPayload = (stream: string): EventLogUnavailable =>
  new EventLogUnavailable(`The payload in ${stream} was written too long before its import was queued`);

/** The body of an operation is always the same, and so are the ids of its chunks. */
const idOf = ({ stream, context }: ChunkStream, index: number): string =>
  eventId(context.operationId, stream, index);

function* chunksOf(to: ChunkStream, body: StoredBody, memory: ChunkBuffers): Generator<Chunk> {
  for (let at = 0, index = 0; at < body.length; at += CHUNK_BYTES, index++) {
    const rest = body.length - at;
    const bytes = rest < CHUNK_BYTES ? Buffer.allocUnsafe(rest) : memory.take();
    body.copy(bytes, at);
    yield { bytes, id: idOf(to, index) };
  }
}

/** `close` has to end it. */
export interface OpenBody extends StoredBody {
  close(): void;
}

export interface OpenPayloadDeps extends Pick<ImportEngineOptions, 'temporaryFolder' | 'discard'> {
  readonly log: Pick<EventReader, 'readStream'>;
}

/** Verified, else `PayloadCorrupt`. A large body is in an unlinked file: `EventLogUnavailable` if it cannot be made. */
export async function openPayload(deps: OpenPayloadDeps, reference: PayloadReference): Promise<OpenBody> {
  if (reference.bytes > importLimits.provenBody) return openInFile(deps, reference);
  const body = await readPayload(deps.log, reference);
  return { ...bodyInMemory(body, reference.sha256), close: () => deps.discard?.(body) };
}

async function openInFile(
  { log, temporaryFolder }: OpenPayloadDeps,
  reference: PayloadReference,
): Promise<OpenBody> {
  const file = new BodyFile(temporaryFolder);
  try {
    for await (const chunk of verifiedChunks(log, reference)) file.write(chunk);
  } catch (error) {
    file.close();
    throw error;
  }
  return {
    length: reference.bytes,
    sha256: reference.sha256,
    read: (start, end) => file.read(start, end),
    copy: (into, from) => file.copy(into, from),
    close: () => file.close(),
  };
}

/** In memory, whatever its size. */
export async function readPayload(
  log: Pick<EventReader, 'readStream'>,
  reference: PayloadReference,
): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Uint8Array(reference.bytes);
  let at = 0;
  for await (const chunk of verifiedChunks(log, reference)) {
    body.set(chunk, at);
    at += chunk.byteLength;
  }
  return body;
}

const verifiedChunks = (log: Pick<EventReader, 'readStream'>, reference: PayloadReference) =>
  readChunks(log, reference, (why) => {
    const what = `The payload in ${reference.stream} is not what the queued import refers to`;
    return new PayloadCorrupt(`${what}: ${why}`);
  });
