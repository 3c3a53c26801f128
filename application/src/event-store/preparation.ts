import { type CallContext, type EventName, storedTypeOf, type StagedReference } from '@rollcall/contracts';
import { EventLogUnavailable, type EventAppender, StreamDeleted } from '../ports/event-log.js';
import {
  encodeDomainEvent,
  type JsonSource,
  type NewEvent,
  type StoredData,
  eventId,
} from './linked-events.js';
import {
  type ChunksDeps,
  mayBeSwept,
  OtherContent,
  writeChunks,
  type Chunk,
  type ChunkStream,
} from './chunks.js';
import { shareOutage } from './outage-retry.js';
import {
  CHUNK_BYTES,
  stagedReference,
  stagedStream,
  cutSource,
  freeChunk,
  type CutChunk,
} from './staged-data.js';
import { createHash } from 'node:crypto';

export interface EventsToPrepare {
  readonly events: readonly NewEvent[];
  /** Writes what the events refer to, right before each append; where it cannot repeat earlier writes, that is an outage. */
  readonly beforeAppend?: (isLate: boolean) => Promise<void>;
  /** The start of the earliest earlier write that is not repeated. */
  readonly writtenSince?: Moment | undefined;
}

/** Older writes are checked before the append: the machine may have been suspended, and the sweeper may have run. */
export const LATE_MS = 10 * 60_000;

const maxPreparations = 3;

export class Preparation {
  readonly #deps: ChunksDeps;
  readonly #context: CallContext;
  /** Nobody else writes for the operation, and nothing of it can have been swept. */
  #isFresh: boolean;
  readonly #staged: StagedContents = new Map();
  readonly #isOwn: boolean;
  #stagedAt: Moment | undefined;
  /** The start of the first `beforeAppend` whose writes are not all repeated. */
  #writtenAt: Moment | undefined;

  constructor(deps: ChunksDeps, context: CallContext, isFresh: boolean) {
    this.#isFresh = isFresh;
    this.#isOwn = isFresh;
    this.#deps = deps;
    this.#context = context;
  }

  async prepare(wanted: EventsToPrepare): Promise<readonly StoredData[]> {
    return this.#prepare(wanted, false);
  }

  async #prepare(wanted: EventsToPrepare, isLate: boolean): Promise<readonly StoredData[]> {
    const { events, beforeAppend, writtenSince } = wanted;
    const prepared: StoredData[] = [];
    for (const event of events) prepared.push(await this.#store(event));
    if (beforeAppend) this.#writtenAt ??= (isLate ? undefined : writtenSince) ?? this.#now();
    await beforeAppend?.(isLate);
    await this.removeStaged(prepared);
    return prepared;
  }

  /** Deletes what was staged for abandoned decisions; nothing of a shared operation, whose streams others may refer to. */
  async removeStaged(kept: readonly StoredData[] = []): Promise<void> {
    if (!this.#isOwn) return;
    const used = new Set(kept.map(({ data }) => stagedReference(data)?.stream));
    for (const stream of this.#staged.keys()) {
      if (used.has(stream)) continue;
      this.#staged.delete(stream);
      await this.#deps.log.deleteStream(stream);
    }
  }

  /** Prepares anew where that was too long ago. Existing chunks are reused. */
  async renewed(wanted: EventsToPrepare, before: readonly StoredData[]): Promise<readonly StoredData[]> {
    let prepared = before;
    for (let round = 0; this.#isLate() && round < maxPreparations; round++) {
      this.#isFresh = false;
      this.#staged.clear();
      this.#stagedAt = undefined;
      this.#writtenAt = undefined;
      prepared = await this.#prepare(wanted, true);
    }
    return prepared;
  }

  /** A log whose late appends, first or repeated, are an outage. */
  appender(): EventAppender {
    const { log } = this.#deps;
    const append: EventAppender['append'] = (stream, expected, events) => {
      if (!this.#isLate()) return log.append(stream, expected, events);
      const why = 'what its events refer to was written too long ago';
      return Promise.reject(new EventLogUnavailable(`The append to ${stream} comes too late: ${why}`));
    };
    return shareOutage({ append }, log);
  }

  #store(event: NewEvent): Promise<StoredData> | StoredData {
    const small = 'source' in event ? undefined : encodeDomainEvent(event);
    if (small !== undefined && small.data.byteLength <= CHUNK_BYTES) return small;
    this.#stagedAt ??= this.#now();
    return storeSource(
      this.#deps,
      this.#context,
      { ...asSource(event, small), isFresh: this.#isFresh },
      this.#staged,
    );
  }

  #isLate(): boolean {
    return [this.#stagedAt, this.#writtenAt].some(
      (then) => then !== undefined && elapsed(then, this.#now()) > LATE_MS,
    );
  }

  #now(): Moment {
    return momentOf(this.#deps);
  }
}

/** By both clocks: the monotonic one stops while the machine is suspended, the other may be set back. */
export interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

export const momentOf = ({ clock, timer }: ChunksDeps): Moment => ({
  wall: clock.now(),
  monotonic: (timer ?? (() => performance.now()))(),
});

const elapsed = (from: Moment, to: Moment): number =>
  Math.max(to.wall - from.wall, to.monotonic - from.monotonic);

function asSource(event: NewEvent, encoded: StoredData | undefined): { name: EventName; source: JsonSource } {
  if ('source' in event) return event;
  return { name: event.name, source: { chunks: () => (encoded === undefined ? [] : [encoded.data]) } };
}

/** What one call has staged, by stream; a new decision reuses it. */
type StagedContents = Map<string, StagedContent>;

interface StagedContent {
  readonly reference: StagedReference;
  readonly ids: readonly string[];
}

/** Inline up to 512 KiB, else chunks that are written first (design: "Large data"). Idempotent, also concurrently. */
async function storeSource(
  deps: ChunksDeps,
  context: CallContext,
  event: { readonly name: EventName; readonly source: JsonSource; readonly isFresh: boolean },
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
  const chunks = cutSource(source);
  const first = chunks.next();
  if (first.done === true) throw new Error('a text has one chunk at least');
  if (first.value.isLast) return first.value.bytes;
  const content = new Content(to, follow(first.value, chunks));
  const before = known.get(to.stream);
  const staged = before === undefined ? await stage(deps, to, content) : met(before, content);
  if (staged === undefined) return undefined;
  known.set(to.stream, staged);
  return Buffer.from(JSON.stringify({ staged: staged.reference }));
}

function* follow(first: CutChunk, rest: Iterable<CutChunk>): Generator<CutChunk> {
  yield first;
  yield* rest;
}

function met(before: StagedContent, content: Content): StagedContent | undefined {
  let index = 0;
  for (const chunk of content) {
    if (chunk.id !== before.ids[index++]) return undefined;
    freeChunk(chunk);
  }
  return before;
}

async function stage(
  deps: ChunksDeps,
  to: ChunkStream,
  content: Content,
): Promise<StagedContent | undefined> {
  if (await mayBeSwept(deps, to)) return undefined;
  try {
    const contested = { ...to, isContested: to.isFresh !== true };
    await writeChunks(deps, contested, content, freeChunk);
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
