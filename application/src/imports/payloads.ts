import type { PayloadReference, CallContext } from '@rollcall/contracts';
import { payloadStream } from '@rollcall/domain';
import {
  mayBeSwept,
  writeChunks,
  type Chunk,
  type ChunksDeps,
  type ChunkStream,
} from '../event-store/chunks.js';
import { CHUNK_BYTES, freeChunk, newChunk, readChunks } from '../event-store/staged-data.js';
import { eventId } from '../event-store/linked-events.js';
import { EventLogUnavailable, StreamDeleted, type EventReader } from '../ports/event-log.js';
import { PayloadCorrupt } from '../ports/problems.js';
import { BodyFile, bodyInMemory, type StoredBody } from './stored-body.js';
import type { ImportEngineOptions } from './import-deps.js';
import { importLimits } from '../ports/import-limits.js';
import { type Moment, momentOf } from '../event-store/preparation.js';

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
  await writeAll(deps, to, chunksOf(to, body), freeChunk);
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

function* chunksOf(to: ChunkStream, body: StoredBody): Generator<Chunk> {
  for (let at = 0, index = 0; at < body.length; at += CHUNK_BYTES, index++) {
    const rest = body.length - at;
    const bytes = rest < CHUNK_BYTES ? Buffer.allocUnsafe(rest) : newChunk();
    body.copy(bytes, at);
    yield { bytes, id: idOf(to, index) };
  }
}

/** `close` has to end it. */
interface OpenBody extends StoredBody {
  close(): void;
}

interface OpenPayloadDeps extends Pick<ImportEngineOptions, 'temporaryFolder' | 'discard'> {
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

/** Chunks that may wait for those in flight (backpressure). */
const mostWaiting = 2;

export interface WrittenPayload {
  /** No chunk was written earlier. */
  readonly since: Moment;
}

/** Only for an import that is sure to be queued: nobody else writes to its stream. `finish` or `discard` has to end it. */
export class PayloadWriter {
  readonly #deps: ChunksDeps;
  readonly #context: CallContext;
  readonly #stream: string;
  readonly #since: Moment;
  readonly #waiting: Uint8Array[] = [];
  readonly #written: Promise<number>;
  #chunk: Uint8Array;
  #filled = 0;
  #isWhole = false;
  #isBegun = false;
  #isDiscarded = false;
  #failed: { readonly error: unknown } | undefined;
  #wakeWriter: () => void = () => undefined;
  #wakeReader: () => void = () => undefined;

  constructor(deps: ChunksDeps, context: CallContext) {
    this.#deps = deps;
    this.#context = context;
    this.#stream = payloadStream(context.operationId);
    this.#since = momentOf(deps);
    this.#chunk = newChunk();
    const to = { stream: this.#stream, context, isFresh: true };
    this.#written = writeChunks(deps, to, this.#chunks(), freeChunk);
    this.#written.catch((error: unknown) => {
      this.#failed = { error };
      this.#wakeReader();
    });
  }

  /** Copies the bytes, which may end anywhere. Resolves when more may come; rejects where they cannot be written. */
  async add(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength;) {
      const part = bytes.subarray(at, at + CHUNK_BYTES - this.#filled);
      this.#chunk.set(part, this.#filled);
      this.#filled += part.byteLength;
      at += part.byteLength;
      if (this.#filled === CHUNK_BYTES) await this.#pass(newChunk());
    }
  }

  /** Call it after the last byte. Resolves when all of it is durable. */
  async finish(): Promise<WrittenPayload> {
    if (this.#filled > 0) await this.#pass(new Uint8Array(0));
    this.#end();
    await this.#written;
    return { since: this.#since };
  }

  /** Deletes the stream. Call it only while no event can refer to it. */
  async discard(): Promise<void> {
    this.#isDiscarded = true;
    this.#end();
    await this.#written.catch(() => undefined);
    if (this.#isBegun) await this.#deps.log.deleteStream(this.#stream);
  }

  #end(): void {
    this.#isWhole = true;
    this.#wakeWriter();
  }

  async #pass(next: Uint8Array): Promise<void> {
    this.#waiting.push(this.#chunk.subarray(0, this.#filled));
    this.#chunk = next;
    this.#filled = 0;
    this.#wakeWriter();
    while (this.#failed === undefined && this.#waiting.length > mostWaiting)
      await new Promise<void>((resolve) => (this.#wakeReader = resolve));
    if (this.#failed) throw this.#failed.error;
  }

  async *#chunks(): AsyncGenerator<Chunk> {
    for (let index = 0; ;) {
      const bytes = this.#isDiscarded ? undefined : this.#waiting.shift();
      if (bytes !== undefined) {
        this.#isBegun = true;
        this.#wakeReader();
        yield { bytes, id: eventId(this.#context.operationId, this.#stream, index++) };
      } else if (this.#isWhole) return;
      else await new Promise<void>((resolve) => (this.#wakeWriter = resolve));
    }
  }
}
