import { createHash } from 'node:crypto';
import {
  storedTypeOf,
  type CallContext,
  type EventMetadata,
  type EventName,
  type StagedReference,
} from '@rollcall/contracts';
import type { Clock } from '../clock.js';
import { appendSurely, type AppendDeps } from './append-surely.js';
import { INITIAL_HEAD } from './fold.js';
import { storedMetadata } from './loaded-event.js';
import {
  linkEvents,
  recordedAtAfter,
  type JsonSource,
  type StoredData,
  type StreamHead,
} from './new-events.js';
import {
  LogCorrupt,
  type AppendResult,
  type EventLog,
  type EventToAppend,
  type ExpectedRevision,
  type RecordedEvent,
} from './port.js';
import { PIECE_BYTES, PIECE_TYPE, stagedStream } from './staged-data.js';

/** How many pieces may be on their way at once: this bounds the memory, and lets them share commits. */
const IN_FLIGHT = 6;

export interface StagingDeps extends AppendDeps {
  readonly log: EventLog;
  readonly clock: Clock;
}

/**
 * An event's data as stored: inline up to 512 KiB, otherwise a reference to pieces that are written now, before the
 * event that refers to them (design: "Large data"). Doing it again, or at the same time, does no harm.
 * `known` holds what this call has staged already.
 */
export async function storeSource(
  deps: StagingDeps,
  context: CallContext,
  event: { readonly name: EventName; readonly source: JsonSource },
  known: Map<string, StagedReference>,
): Promise<StoredData> {
  const type = storedTypeOf(event.name);
  const measured = measure(event.source);
  if (measured.text !== undefined) return { type, contentType: 'json', data: measured.text };
  const reference = known.get(measured.sha256) ?? (await stage(deps, context, event.source, measured));
  known.set(measured.sha256, reference);
  return { type, contentType: 'json', data: Buffer.from(JSON.stringify({ staged: reference })) };
}

interface Measured {
  readonly sha256: string;
  readonly bytes: number;
  /** The whole text, where it is small enough to stand in the event. */
  readonly text: Uint8Array | undefined;
}

/** The first run: hashes and counts, and holds nothing once the text is large. */
function measure(source: JsonSource): Measured {
  const hash = createHash('sha256');
  let held: Uint8Array[] = [];
  let bytes = 0;
  for (const chunk of source.chunks()) {
    bytes += chunk.byteLength;
    hash.update(chunk);
    if (bytes > PIECE_BYTES) held = [];
    else held.push(Buffer.from(chunk));
  }
  return { sha256: hash.digest('hex'), bytes, text: bytes > PIECE_BYTES ? undefined : Buffer.concat(held) };
}

/** The second run: writes the pieces, and checks that they are the text that was hashed. */
async function stage(
  deps: StagingDeps,
  context: CallContext,
  source: JsonSource,
  measured: Measured,
): Promise<StagedReference> {
  const stream = stagedStream(context.operationId, measured.sha256);
  const hash = createHash('sha256');
  let count = 0;
  let writer: PieceWriter | undefined;
  const memory = new PieceMemory();
  for (const piece of piecesOf(source, memory)) {
    hash.update(piece);
    const written = () => memory.giveBack(piece);
    if (writer === undefined) {
      writer = await beginPieces(deps, stream, context, piece);
      written();
    } else await writer.write(piece, written);
    count += 1;
  }
  await writer?.end();
  if (hash.digest('hex') !== measured.sha256)
    throw new TypeError('A JSON source gave other bytes at its second run');
  return { stream, count, bytes: measured.bytes, sha256: measured.sha256 };
}

/** Memory of pieces that were written is used again: waiting for the garbage collector would cost as much as the text. */
class PieceMemory {
  readonly #free: Buffer[] = [];

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
  }

  giveBack(piece: Buffer): void {
    if (piece.byteLength === PIECE_BYTES) this.#free.push(piece);
  }
}

/** The same bytes, cut anew into pieces of 512 KiB and a rest. */
function* piecesOf(source: JsonSource, memory: PieceMemory): Generator<Buffer> {
  let piece = memory.take();
  let filled = 0;
  for (const chunk of source.chunks()) {
    for (let at = 0; at < chunk.byteLength;) {
      const part = chunk.subarray(at, at + PIECE_BYTES - filled);
      piece.set(part, filled);
      filled += part.byteLength;
      at += part.byteLength;
      if (filled < PIECE_BYTES) continue;
      yield piece;
      piece = memory.take();
      filled = 0;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}

interface PieceWriter {
  /** Resolves when there is room for the next one; `written` is called when this one is durable. */
  write(piece: Uint8Array, written: () => void): Promise<void>;
  end(): Promise<void>;
}

/**
 * Writes the first piece and takes its metadata from the log: where this is a repeat, or somebody else is writing the
 * same pieces now, all of them carry the metadata of the first to come, and so the same chain values.
 */
async function beginPieces(
  deps: StagingDeps,
  stream: string,
  context: CallContext,
  first: Uint8Array,
): Promise<PieceWriter> {
  const metadata = { ...context, recordedAt: recordedAtAfter(deps.clock, null) };
  const { events } = linkEvents({ stream, head: INITIAL_HEAD, firstIndex: 0 }, metadata, [pieceData(first)]);
  ensureAppended(stream, await appendSurely(deps, stream, 'no-stream', events));
  return pieceWriter(deps, stream, storedMetadata(await firstEvent(deps.log, stream)));
}

async function firstEvent(log: EventLog, stream: string): Promise<RecordedEvent> {
  for await (const event of log.readStream(stream, { limit: 1 })) return event;
  throw new LogCorrupt(`The stream ${stream} lost its first event`);
}

function pieceWriter(deps: StagingDeps, stream: string, first: EventMetadata): PieceWriter {
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
  };
}

/** An append that overtook one whose outcome was unknown finds a wrong revision: it goes again behind that one. */
async function appendBehind(
  deps: StagingDeps,
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
