import type { CallContext, EventMetadata } from '@rollcall/contracts';
import type { Clock } from '../ports/clock.js';
import { appendSurely, type AppendDeps } from './append-with-retry.js';
import { INITIAL_HEAD } from './fold.js';
import { storedMetadata } from './loaded-event.js';
import { linkEvents, recordedAtAfter, type StoredData, type StreamHead } from './new-events.js';
import {
  LogCorrupt,
  type AppendResult,
  type EventLog,
  type EventReader,
  type EventToAppend,
  type ExpectedRevision,
  type RecordedEvent,
} from '../ports/event-log.js';
import { PIECE_TYPE } from './staged-data.js';

/** How many pieces may be on their way at once: this bounds the memory, and lets them share commits. */
const IN_FLIGHT = 6;

export interface PiecesDeps extends AppendDeps {
  readonly log: EventLog;
  readonly clock: Clock;
}

/**
 * Writes bytes in pieces to a stream of their own, from `no-stream` on, with exact revisions; how many they were. Doing it
 * again, or at the same time, does no harm. `written` tells when a piece's memory is free again. It ends only when nothing
 * is on its way any more, however it ends.
 */
export async function writePieces<P extends Uint8Array>(
  deps: PiecesDeps,
  to: { readonly stream: string; readonly context: CallContext },
  pieces: Iterable<P>,
  written: (piece: P) => void = () => undefined,
): Promise<number> {
  let count = 0;
  let writer: PieceWriter | undefined;
  try {
    for (const piece of pieces) {
      if (writer === undefined) {
        writer = await beginPieces(deps, to.stream, to.context, piece);
        written(piece);
      } else await writer.write(piece, () => written(piece));
      count += 1;
    }
  } finally {
    await writer?.settled();
  }
  await writer?.end();
  return count;
}

interface PieceWriter {
  /** Resolves when there is room for the next one; `written` is called when this one is durable. */
  write(piece: Uint8Array, written: () => void): Promise<void>;
  end(): Promise<void>;
  /** Nothing is on its way any more. */
  settled(): Promise<void>;
}

/**
 * Writes the first piece and takes its metadata from the log: where this is a repeat, or somebody else is writing the
 * same pieces now, all of them carry the metadata of the first to come, and so the same chain values.
 */
async function beginPieces(
  deps: PiecesDeps,
  stream: string,
  context: CallContext,
  first: Uint8Array,
): Promise<PieceWriter> {
  const metadata = { ...context, recordedAt: recordedAtAfter(deps.clock, null) };
  const { events } = linkEvents({ stream, head: INITIAL_HEAD, firstIndex: 0 }, metadata, [pieceData(first)]);
  ensureAppended(stream, await appendSurely(deps, stream, 'no-stream', events));
  const written = await firstEvent(deps.log, stream);
  if (!written) throw new LogCorrupt(`The stream ${stream} lost its first event`);
  return pieceWriter(deps, stream, storedMetadata(written));
}

export async function firstEvent(log: EventReader, stream: string): Promise<RecordedEvent | undefined> {
  for await (const event of log.readStream(stream, { limit: 1 })) return event;
  return undefined;
}

function pieceWriter(deps: PiecesDeps, stream: string, first: EventMetadata): PieceWriter {
  const { chain, ...metadata } = first;
  let head: StreamHead = { revision: 0, chain, recordedAt: first.recordedAt };
  let firstIndex = 1;
  let before: Promise<void> = Promise.resolve();
  const inFlight = new Set<Promise<void>>();
  return {
    write: async (piece, written) => {
      const linked = linkEvents({ stream, head, firstIndex }, metadata, [pieceData(piece)]);
      const sent = appendBehind(deps, before, stream, { expected: head.revision, events: linked.events });
      const landed = sent.then(() => {
        inFlight.delete(landed);
        written();
      });
      landed.catch(() => undefined); // It stays among those in flight, where the next `race` or `all` meets it.
      inFlight.add(landed);
      before = sent;
      head = linked.head;
      firstIndex += 1;
      if (inFlight.size >= IN_FLIGHT) await Promise.race(inFlight);
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
  deps: PiecesDeps,
  before: Promise<void>,
  stream: string,
  piece: { readonly expected: ExpectedRevision; readonly events: readonly EventToAppend[] },
): Promise<void> {
  const result = await appendSurely(deps, stream, piece.expected, piece.events);
  if (result.outcome === 'appended') return;
  await before;
  ensureAppended(stream, await appendSurely(deps, stream, piece.expected, piece.events));
}

const pieceData = (data: Uint8Array): StoredData => ({ type: PIECE_TYPE, contentType: 'binary', data });

function ensureAppended(stream: string, result: AppendResult): void {
  if (result.outcome === 'wrong-revision') {
    throw new LogCorrupt(`The stream ${stream} holds other events than the pieces of its content`);
  }
}
