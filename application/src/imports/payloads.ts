import { createHash } from 'node:crypto';
import type { CallContext, PayloadReference } from '@rollcall/contracts';
import { payloadStream } from '@rollcall/domain';
import { writePieces, type PiecesDeps } from '../event-store/pieces.js';
import type { EventReader, RecordedEvent } from '../ports/event-log.js';
import { PIECE_BYTES, PIECE_TYPE } from '../event-store/staged-data.js';

/** The body of a queued import is not what its `ImportQueued` refers to. Its text names the stream and what is wrong. */
export class PayloadCorrupt extends Error {
  override readonly name = 'PayloadCorrupt';
}

/** Where the body of a queued import goes. */
export const payloadReference = (
  operationId: string,
  body: Uint8Array,
  sha256: string,
): PayloadReference => ({
  stream: payloadStream(operationId),
  count: Math.ceil(body.byteLength / PIECE_BYTES),
  bytes: body.byteLength,
  sha256,
});

/** Writes the body in pieces; again, or at the same time, does no harm. */
export async function writePayload(
  deps: PiecesDeps,
  context: CallContext,
  { stream }: PayloadReference,
  body: Uint8Array,
): Promise<void> {
  await writePieces(deps, { stream, context }, piecesOf(body));
}

function* piecesOf(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.byteLength; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES);
}

/** The body, once pieces, bytes and SHA-256 are known to be right; `PayloadCorrupt` otherwise. */
export async function readPayload(
  log: Pick<EventReader, 'readStream'>,
  reference: PayloadReference,
): Promise<Uint8Array<ArrayBuffer>> {
  const { stream, count, bytes, sha256 } = reference;
  const body = new Uint8Array(bytes);
  const hash = createHash('sha256');
  const found = { pieces: 0, bytes: 0 };
  for await (const piece of log.readStream(stream, { limit: count + 1 })) {
    if (!fits(piece, found, reference))
      throw corrupt(reference, 'it has a piece too many, or one of another type');
    body.set(piece.data, found.bytes);
    hash.update(piece.data);
    found.pieces += 1;
    found.bytes += piece.data.byteLength;
  }
  if (found.pieces !== count || found.bytes !== bytes) {
    throw corrupt(
      reference,
      `${found.pieces} of ${count} pieces and ${found.bytes} of ${bytes} bytes are there`,
    );
  }
  if (hash.digest('hex') !== sha256) throw corrupt(reference, 'its SHA-256 is another one');
  return body;
}

const fits = (
  { type, contentType, data }: RecordedEvent,
  found: { readonly pieces: number; readonly bytes: number },
  { count, bytes }: PayloadReference,
): boolean =>
  type === PIECE_TYPE &&
  contentType === 'binary' &&
  found.pieces < count &&
  found.bytes + data.byteLength <= bytes;

const corrupt = ({ stream }: PayloadReference, what: string): PayloadCorrupt =>
  new PayloadCorrupt(`The payload in ${stream} is not what the queued import refers to: ${what}`);
