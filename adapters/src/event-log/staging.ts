import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
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
import { Spool } from './spool.js';
import { PIECE_BYTES, PIECE_TYPE, stagedStream } from './staged-data.js';

/** How many pieces may be on their way at once: this bounds the memory, and lets them share commits. */
const IN_FLIGHT = 6;

export interface StagingDeps extends AppendDeps {
  readonly log: EventLog;
  readonly clock: Clock;
  /** Where large data waits in a file without a name; the system's folder for such files where it is not given. */
  readonly spoolFolder?: string;
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
  const spooled = spool(event.source, deps.spoolFolder ?? tmpdir());
  if (spooled.kind === 'small') return { type, contentType: 'json', data: spooled.text };
  try {
    const reference = known.get(spooled.sha256) ?? (await stage(deps, context, spooled));
    known.set(spooled.sha256, reference);
    return { type, contentType: 'json', data: Buffer.from(JSON.stringify({ staged: reference })) };
  } finally {
    spooled.file.close();
  }
}

interface Spooled {
  readonly kind: 'large';
  readonly sha256: string;
  readonly bytes: number;
  readonly file: Spool;
}

/** Runs the source: what is small stands in the event, what is large goes to a file and is hashed and counted. */
function spool(
  source: JsonSource,
  folder: string,
): Spooled | { readonly kind: 'small'; readonly text: Uint8Array } {
  const hash = createHash('sha256');
  const held: Uint8Array[] = [];
  let file: Spool | undefined;
  let bytes = 0;
  try {
    for (const chunk of source.chunks()) {
      bytes += chunk.byteLength;
      hash.update(chunk);
      if (bytes <= PIECE_BYTES) held.push(Buffer.from(chunk));
      else (file ??= spoolWith(folder, held)).write(chunk);
    }
  } catch (error) {
    file?.close();
    throw error;
  }
  if (file === undefined) return { kind: 'small', text: Buffer.concat(held) };
  return { kind: 'large', sha256: hash.digest('hex'), bytes, file };
}

function spoolWith(folder: string, beginning: readonly Uint8Array[]): Spool {
  const file = new Spool(folder);
  for (const chunk of beginning) file.write(chunk);
  return file;
}

/** Writes the pieces. */
async function stage(deps: StagingDeps, context: CallContext, spooled: Spooled): Promise<StagedReference> {
  const { sha256, bytes } = spooled;
  const stream = stagedStream(context.operationId, sha256);
  let count = 0;
  let writer: PieceWriter | undefined;
  const memory = new PieceMemory();
  for (const piece of piecesOf(spooled, memory)) {
    const written = () => memory.giveBack(piece);
    if (writer === undefined) {
      writer = await beginPieces(deps, stream, context, piece);
      written();
    } else await writer.write(piece, written);
    count += 1;
  }
  await writer?.end();
  return { stream, count, bytes, sha256 };
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

/** Pieces of 512 KiB and a rest. */
function* piecesOf({ file, bytes }: Spooled, memory: PieceMemory): Generator<Buffer> {
  for (let at = 0; at < bytes; at += PIECE_BYTES) {
    const piece = memory.take();
    const read = file.read(piece, at);
    yield read === piece.length ? piece : piece.subarray(0, read);
  }
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
