import { createHash } from 'node:crypto';
import { storedTypeOf, type CallContext, type EventName, type StagedReference } from '@rollcall/contracts';
import {
  mayBeSwept,
  OtherContent,
  writeChunks,
  type Chunk,
  type ChunksDeps,
  type ChunkStream,
} from './chunks.js';
import { ChunkBuffers, cutSource, type CutChunk } from './cut-source.js';
import { eventId, type JsonSource, type StoredData } from './new-events.js';
import { StreamDeleted } from '../ports/event-log.js';
import { stagedStream } from './staged-data.js';

/** What one call has staged, by stream; a new decision reuses it. */
export type StagedContents = Map<string, StagedContent>;

interface StagedContent {
  readonly reference: StagedReference;
  readonly ids: readonly string[];
}

export interface SourceToStore {
  readonly name: EventName;
  readonly source: JsonSource;
  readonly isFresh: boolean;
}

/** Inline up to 512 KiB, else chunks that are written first (design: "Large data"). Idempotent, also concurrently. */
export async function storeSource(
  deps: ChunksDeps,
  context: CallContext,
  event: SourceToStore,
  known: StagedContents,
): Promise<StoredData> {
  const type = storedTypeOf(event.name);
  for (let attempt = 1; ; attempt++) {
    const to = { stream: stagedStream(context, attempt), context, isFresh: event.isFresh };
    const data = await storeIn(deps, to, event.source, known);
    if (data !== undefined) return { type, contentType: 'json', data };
  }
}

/** Undefined where the stream holds other content, or may be swept or deleted. */
async function storeIn(
  deps: ChunksDeps,
  to: ChunkStream,
  source: JsonSource,
  known: StagedContents,
): Promise<Uint8Array | undefined> {
  const memory = new ChunkBuffers();
  const chunks = cutSource(source, memory);
  const first = chunks.next();
  if (first.done === true) throw new Error('a text has one chunk at least');
  if (first.value.isLast) return first.value.bytes;
  const content = new Content(to, follow(first.value, chunks));
  const before = known.get(to.stream);
  const staged = before === undefined ? await stage(deps, to, content, memory) : met(before, content, memory);
  if (staged === undefined) return undefined;
  known.set(to.stream, staged);
  return Buffer.from(JSON.stringify({ staged: staged.reference }));
}

function* follow(first: CutChunk, rest: Iterable<CutChunk>): Generator<CutChunk> {
  yield first;
  yield* rest;
}

function met(before: StagedContent, content: Content, memory: ChunkBuffers): StagedContent | undefined {
  let index = 0;
  for (const { id, bytes } of content) {
    if (id !== before.ids[index++]) return undefined;
    memory.giveBack(bytes);
  }
  return before;
}

async function stage(
  deps: ChunksDeps,
  to: ChunkStream,
  content: Content,
  memory: ChunkBuffers,
): Promise<StagedContent | undefined> {
  if (await mayBeSwept(deps, to)) return undefined;
  try {
    const contested = { ...to, isContested: to.isFresh !== true };
    await writeChunks(deps, contested, content, ({ bytes }) => memory.giveBack(bytes));
  } catch (error) {
    if (error instanceof StreamDeleted || error instanceof OtherContent) return undefined;
    throw error;
  }
  return content.staged();
}

/** Chunks with their ids. An id covers all bytes up to the chunk's end and whether more follow. */
class Content implements Iterable<Chunk> {
  readonly #to: ChunkStream;
  readonly #chunks: Iterable<CutChunk>;
  readonly #hash = createHash('sha256');
  readonly #ids: string[] = [];
  #bytes = 0;

  constructor(to: ChunkStream, chunks: Iterable<CutChunk>) {
    this.#to = to;
    this.#chunks = chunks;
  }

  *[Symbol.iterator](): Generator<Chunk> {
    for (const { bytes, isLast } of this.#chunks) {
      const soFar = this.#hash.update(bytes).copy().digest('hex');
      const id = this.#idOf(`${this.#ids.length}/${soFar}${isLast ? '/end' : ''}`);
      this.#ids.push(id);
      this.#bytes += bytes.byteLength;
      yield { bytes, id };
    }
  }

  #idOf(indexOrStep: string): string {
    return eventId(this.#to.context.operationId, this.#to.stream, indexOrStep);
  }

  staged(): StagedContent {
    const { length: count } = this.#ids;
    const extent = { count, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
    return { reference: { stream: this.#to.stream, ...extent }, ids: this.#ids };
  }
}
