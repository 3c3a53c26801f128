import type { CallContext, EventMetadata } from '@rollcall/contracts';
import type { Clock } from '../ports/clock.js';
import { appendWithRetry, type AppendDeps } from './append-with-retry.js';
import { INITIAL_HEAD } from './fold.js';
import { storedMetadata } from './loaded-event.js';
import { linkEvents, recordedAtAfter, type StoredData, type StreamHead } from './new-events.js';
import {
  LogCorrupt,
  StreamDeleted,
  type AppendResult,
  type EventLog,
  type EventReader,
  type EventToAppend,
  type ExpectedRevision,
  type RecordedEvent,
} from '../ports/event-log.js';
import { CHUNK_TYPE } from './staged-data.js';

/**
 * How many chunks may be on their way at once: this bounds the memory, and lets them share commits. More win nothing: to write 3 MiB
 * at a time took the embedded log's kernel twice to four times the processor time of 2 MiB at a time.
 */
const IN_FLIGHT = 4;

export interface Chunk {
  readonly bytes: Uint8Array;
  /** Of its event: the same for whoever writes the same content to the stream, and for nobody else. */
  readonly id: string;
}

export interface ChunksDeps extends AppendDeps {
  readonly log: EventLog;
  readonly clock: Clock;
}

export interface ChunkStream {
  readonly stream: string;
  readonly context: CallContext;
  /** Nobody has ever written to it, and nobody else will: what was written need not be read back. */
  readonly isFresh?: boolean;
  /**
   * Others may write another content to it. A chunk is then sent only once all in front of it are known to stand there:
   * sent along with them it could come to stand behind another's.
   */
  readonly isContested?: boolean;
}

/** The stream holds other events than the chunks of this content. */
export class OtherContent extends LogCorrupt {}

/**
 * Writes chunks to a stream of their own, from `no-stream` on, with exact revisions; how many they were. Doing it
 * again, or at the same time, does no harm. `written` tells when a chunk's memory is free again. It ends only when nothing
 * is on its way any more, however it ends. `OtherContent` where another content stands in the stream: behind that nothing was
 * written.
 */
export async function writeChunks<P extends Chunk>(
  deps: ChunksDeps,
  to: ChunkStream,
  chunks: Iterable<P> | AsyncIterable<P>,
  written: (chunk: P) => void = () => undefined,
): Promise<number> {
  let count = 0;
  let writer: ChunkWriter | undefined;
  try {
    for await (const chunk of chunks) {
      if (writer === undefined) {
        writer = await beginChunks(deps, to, chunk);
        written(chunk);
      } else await writer.write(chunk, () => written(chunk));
      count += 1;
    }
  } finally {
    await writer?.settled();
  }
  await writer?.end();
  return count;
}

interface ChunkWriter {
  /** Resolves when the chunk is on its way, which waits for room; `written` is called when it is durable. */
  write(chunk: Chunk, written: () => void): Promise<void>;
  end(): Promise<void>;
  /** Nothing is on its way any more. */
  settled(): Promise<void>;
}

/**
 * Writes the first chunk and takes its metadata from the log: where this is a repeat, or somebody else is writing the
 * same chunks now, all of them carry the metadata of the first to come, and so the same chain values.
 */
async function beginChunks(
  deps: ChunksDeps,
  { stream, context, isFresh, isContested = false }: ChunkStream,
  first: Chunk,
): Promise<ChunkWriter> {
  const inFlight = isContested ? 1 : IN_FLIGHT;
  const metadata = { ...context, recordedAt: recordedAtAfter(deps.clock, null) };
  const { events, head } = linkEvents({ stream, head: INITIAL_HEAD, idOf: () => first.id }, metadata, [
    chunkData(first),
  ]);
  ensureAppended(stream, await appendWithRetry(deps, stream, 'no-stream', events));
  if (isFresh === true) return chunkWriter(deps, { stream, inFlight }, { ...metadata, chain: head.chain });
  const written = await firstEvent(deps.log, stream);
  if (!written) throw new StreamDeleted(`The stream ${stream} was deleted`);
  return chunkWriter(deps, { stream, inFlight }, storedMetadata(written));
}

/**
 * Chunks that lie there for longer than this are not met again: at 24 hours without an event that refers to them the
 * sweeper deletes them, perhaps right before that event is appended.
 */
const REUSE_MS = 12 * 60 * 60_000;

/** Whether chunks lie there for so long that no event may refer to them any more, if none does yet. */
export async function mayBeSwept(
  { log, clock }: ChunksDeps,
  { stream, isFresh }: Pick<ChunkStream, 'stream' | 'isFresh'>,
): Promise<boolean> {
  if (isFresh === true) return false;
  const first = await firstEvent(log, stream);
  return first !== undefined && Date.parse(storedMetadata(first).recordedAt) + REUSE_MS < clock.now();
}

async function firstEvent(log: EventReader, stream: string): Promise<RecordedEvent | undefined> {
  for await (const event of log.readStream(stream, { limit: 1 })) return event;
  return undefined;
}

function chunkWriter(
  deps: ChunksDeps,
  { stream, inFlight: most }: { readonly stream: string; readonly inFlight: number },
  first: EventMetadata,
): ChunkWriter {
  const { chain, ...metadata } = first;
  let head: StreamHead = { revision: 0, chain, recordedAt: first.recordedAt };
  let before: Promise<void> = Promise.resolve();
  const inFlight = new Set<Promise<void>>();
  return {
    write: async (chunk, written) => {
      if (inFlight.size >= most) await Promise.race(inFlight);
      const linked = linkEvents({ stream, head, idOf: () => chunk.id }, metadata, [chunkData(chunk)]);
      const sent = appendBehind(deps, before, stream, { expected: head.revision, events: linked.events });
      const landed = sent.then(() => {
        inFlight.delete(landed);
        written();
      });
      landed.catch(() => undefined); // It stays among those in flight, where the next `race` or `all` meets it.
      inFlight.add(landed);
      before = sent;
      head = linked.head;
    },
    end: async () => {
      await Promise.all(inFlight);
    },
    settled: async () => {
      await Promise.allSettled(inFlight);
    },
  };
}

/** An append that overtook one whose outcome was unknown finds a wrong revision: it goes again behind that one. */
async function appendBehind(
  deps: ChunksDeps,
  before: Promise<void>,
  stream: string,
  chunk: { readonly expected: ExpectedRevision; readonly events: readonly EventToAppend[] },
): Promise<void> {
  const result = await appendWithRetry(deps, stream, chunk.expected, chunk.events);
  if (result.outcome === 'appended') return;
  await before;
  ensureAppended(stream, await appendWithRetry(deps, stream, chunk.expected, chunk.events));
}

const chunkData = ({ bytes }: Chunk): StoredData => ({
  type: CHUNK_TYPE,
  contentType: 'binary',
  data: bytes,
});

function ensureAppended(stream: string, result: AppendResult): void {
  if (result.outcome === 'wrong-revision') {
    throw new OtherContent(`The stream ${stream} holds other events than the chunks of its content`);
  }
}
