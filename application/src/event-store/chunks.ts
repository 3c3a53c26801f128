import type { CallContext, EventMetadata } from '@rollcall/contracts';
import type { Clock } from '../ports/clock.js';
import { appendWithRetry, type AppendDeps } from './outage-retry.js';
import { INITIAL_HEAD } from './load-state.js';
import { storedMetadata } from './loaded-event.js';
import { eventAt } from './log-reading.js';
import { linkEvents, recordedAtAfter, type StoredData, type StreamHead } from './linked-events.js';
import {
  LogCorrupt,
  StreamDeleted,
  type AppendResult,
  type EventLog,
  type EventToAppend,
  type ExpectedRevision,
} from '../ports/event-log.js';
import { CHUNK_TYPE } from './staged-data.js';

/** Bounds the memory. More gains nothing: 3 MiB in flight cost the embedded log 2 to 4 times the CPU time of 2 MiB. */
const maxChunksInFlight = 4;

export interface Chunk {
  readonly bytes: Uint8Array;
  /** A function of event and content: the same content has the same ids, other content has others. */
  readonly id: string;
}

export interface ChunksDeps extends AppendDeps {
  readonly log: EventLog;
  readonly clock: Clock;
}

export interface ChunkStream {
  readonly stream: string;
  readonly context: CallContext;
  /** Nobody else writes to the stream: its chunks need not be read back. */
  readonly isFresh?: boolean;
  /** Others may write other content: a chunk is then sent only after all earlier ones are durable. */
  readonly isContested?: boolean;
}

export class OtherContent extends LogCorrupt {}

/**
 * Writes chunks from `no-stream` on and returns their count. Idempotent, also concurrently. `written`: a chunk's memory is
 * free. Settles only when no write is in flight. `OtherContent` where the stream holds other content: writing stops.
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
  write(chunk: Chunk, written: () => void): Promise<void>;
  end(): Promise<void>;
  settled(): Promise<void>;
}

/** Reads the first chunk's metadata back: a repeat needs the metadata, and so the chain values, of the first writer. */
async function beginChunks(
  deps: ChunksDeps,
  { stream, context, isFresh, isContested = false }: ChunkStream,
  first: Chunk,
): Promise<ChunkWriter> {
  const inFlight = isContested ? 1 : maxChunksInFlight;
  const metadata = { ...context, recordedAt: recordedAtAfter(deps.clock, null) };
  const { events, head } = linkEvents({ stream, head: INITIAL_HEAD, idOf: () => first.id }, metadata, [
    chunkData(first),
  ]);
  ensureAppended(stream, await appendWithRetry(deps, stream, 'no-stream', events));
  if (isFresh === true) return chunkWriter(deps, { stream, inFlight }, { ...metadata, chain: head.chain });
  const written = await eventAt(deps.log, stream);
  if (!written) throw new StreamDeleted(`The stream ${stream} was deleted`);
  return chunkWriter(deps, { stream, inFlight }, storedMetadata(written));
}

/** The sweeper deletes unreferenced chunks after 24 hours, so older ones than this are not reused. */
const maxReuseAgeMs = 12 * 60 * 60_000;

export async function mayBeSwept(
  { log, clock }: ChunksDeps,
  { stream, isFresh }: Pick<ChunkStream, 'stream' | 'isFresh'>,
): Promise<boolean> {
  if (isFresh === true) return false;
  const first = await eventAt(log, stream);
  return first !== undefined && Date.parse(storedMetadata(first).recordedAt) + maxReuseAgeMs < clock.now();
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

/** An append that overtook one with an unknown outcome finds a wrong revision, and is repeated after that one. */
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
