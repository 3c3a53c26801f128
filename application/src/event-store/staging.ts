import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { storedTypeOf, type CallContext, type EventName, type StagedReference } from '@rollcall/contracts';
import type { JsonSource, StoredData } from './new-events.js';
import { mayBeSwept, writeChunks, type ChunksDeps, type ChunkStream } from './chunks.js';
import { StreamDeleted } from '../ports/event-log.js';
import { TemporaryFile } from './temporary-file.js';
import { CHUNK_BYTES, stagedStreams } from './staged-data.js';

export interface StagingDeps extends ChunksDeps {
  /** Where large data waits in a file without a name; the system's folder for such files where it is not given. */
  readonly temporaryFolder?: string;
}

/**
 * An event's data as stored: inline up to 512 KiB, otherwise a reference to chunks that are written now, before the
 * event that refers to them (design: "Large data"). Doing it again, or at the same time, does no harm.
 * `known` holds what this call has staged already; `isFresh`: nobody else, and nothing before, has staged for the operation.
 */
export async function storeSource(
  deps: StagingDeps,
  context: CallContext,
  event: { readonly name: EventName; readonly source: JsonSource; readonly isFresh: boolean },
  known: Map<string, StagedReference>,
): Promise<StoredData> {
  const type = storedTypeOf(event.name);
  const spooled = collect(event.source, deps.temporaryFolder ?? tmpdir());
  if (spooled.kind === 'small') return { type, contentType: 'json', data: spooled.text };
  try {
    const reference =
      known.get(spooled.sha256) ?? (await stage(deps, { context, isFresh: event.isFresh }, spooled));
    known.set(spooled.sha256, reference);
    return { type, contentType: 'json', data: Buffer.from(JSON.stringify({ staged: reference })) };
  } finally {
    spooled.file.close();
  }
}

interface LargeSource {
  readonly kind: 'large';
  readonly sha256: string;
  readonly bytes: number;
  readonly file: TemporaryFile;
}

/** Runs the source: what is small stands in the event, what is large goes to a file and is hashed and counted. */
function collect(
  source: JsonSource,
  folder: string,
): LargeSource | { readonly kind: 'small'; readonly text: Uint8Array } {
  const hash = createHash('sha256');
  const held: Uint8Array[] = [];
  let file: TemporaryFile | undefined;
  let bytes = 0;
  try {
    for (const chunk of source.chunks()) {
      bytes += chunk.byteLength;
      hash.update(chunk);
      if (bytes <= CHUNK_BYTES) held.push(Buffer.from(chunk));
      else (file ??= temporaryFileWith(folder, held)).write(chunk);
    }
  } catch (error) {
    file?.close();
    throw error;
  }
  if (file === undefined) return { kind: 'small', text: Buffer.concat(held) };
  return { kind: 'large', sha256: hash.digest('hex'), bytes, file };
}

function temporaryFileWith(folder: string, beginning: readonly Uint8Array[]): TemporaryFile {
  const file = new TemporaryFile(folder);
  for (const chunk of beginning) file.write(chunk);
  return file;
}

/** Writes the chunks. */
async function stage(
  deps: StagingDeps,
  to: Omit<ChunkStream, 'stream'>,
  spooled: LargeSource,
): Promise<StagedReference> {
  const { sha256, bytes } = spooled;
  for (const stream of stagedStreams(to.context.operationId, sha256)) {
    const count = await stageIn(deps, { ...to, stream }, spooled);
    if (count !== undefined) return { stream, count, bytes, sha256 };
  }
  throw new Error(
    `Every stream for the large data of operation ${to.context.operationId} was given up before`,
  );
}

/** How many chunks; undefined where the stream may be swept, or is. */
async function stageIn(
  deps: StagingDeps,
  to: ChunkStream,
  spooled: LargeSource,
): Promise<number | undefined> {
  if (await mayBeSwept(deps, to)) return undefined;
  const memory = new ChunkBuffers();
  try {
    return await writeChunks(deps, to, chunksOf(spooled, memory), (chunk) => memory.giveBack(chunk));
  } catch (error) {
    if (error instanceof StreamDeleted) return undefined;
    throw error;
  }
}

/** Memory of chunks that were written is used again: waiting for the garbage collector would cost as much as the text. */
class ChunkBuffers {
  readonly #free: Buffer[] = [];

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
  }

  giveBack(chunk: Buffer): void {
    if (chunk.byteLength === CHUNK_BYTES) this.#free.push(chunk);
  }
}

/** Chunks of 512 KiB and a rest. */
function* chunksOf({ file, bytes }: LargeSource, memory: ChunkBuffers): Generator<Buffer> {
  for (let at = 0; at < bytes; at += CHUNK_BYTES) {
    const chunk = memory.take();
    const read = file.read(chunk, at);
    yield read === chunk.length ? chunk : chunk.subarray(0, read);
  }
}
