import { Readable } from 'node:stream';
import type { StoredDocument } from '@rollcall/adapters';

const batchBytes = 64 * 1024;
const open = 0x5b;
const close = 0x5d;
const comma = 0x2c;

/** Joins documents to the text of one JSON array, in pieces of about 64 KiB. */
export async function* jsonArray(documents: AsyncIterable<StoredDocument>): AsyncGenerator<Buffer> {
  let batch = Buffer.allocUnsafeSlow(batchBytes);
  let length = batch.writeUInt8(open);
  let first = true;
  for await (const { json } of documents) {
    if (length + json.byteLength + 2 > batch.byteLength) {
      // Copied out before the yield: the document's bytes are valid until then only.
      const full = batch.subarray(0, length);
      batch = Buffer.allocUnsafeSlow(Math.max(batchBytes, json.byteLength + 2));
      length = put(batch, 0, json, first);
      first = false;
      yield full;
      continue;
    }
    length = put(batch, length, json, first);
    first = false;
  }
  if (length === batch.byteLength) {
    yield batch;
    yield Buffer.of(close);
  } else {
    yield batch.subarray(0, batch.writeUInt8(close, length));
  }
}

function put(batch: Buffer, at: number, json: Uint8Array, first: boolean): number {
  const start = first ? at : batch.writeUInt8(comma, at);
  batch.set(json, start);
  return start + json.byteLength;
}

/**
 * The pieces as a stream. The first is fetched before it resolves, so that a store that is away still becomes a 503.
 * Destroying the stream ends the iteration.
 */
export async function startedStream(pieces: AsyncGenerator<Buffer>): Promise<Readable> {
  const first = await pieces.next();
  const all = async function* (): AsyncGenerator<Buffer> {
    try {
      if (!first.done) yield first.value;
      yield* pieces;
    } finally {
      await pieces.return(undefined);
    }
  };
  return Readable.from(all(), { objectMode: false, highWaterMark: 4 * batchBytes });
}
