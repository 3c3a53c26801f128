import { Readable } from 'node:stream';
import type { StoredDocument } from '@rollcall/application';

const firstBytes = 8 * 1024;
const pieceBytes = 256 * 1024;
const open = 0x5b;
const close = 0x5d;
const comma = 0x2c;

/** JSON text that is valid until the next await; where it has an `end`, that stands for its closing bracket. */
export interface JsonText {
  readonly json: Uint8Array;
  readonly end?: Uint8Array;
}
export type JsonTexts = readonly JsonText[];

/** Joins texts to that of one JSON array, in chunks of about 256 KiB, the first ones smaller. */
export async function* jsonArray(
  batches: AsyncIterable<JsonTexts> | Iterable<JsonTexts>,
): AsyncGenerator<Buffer> {
  const piece = new ArrayPiece();
  for await (const batch of batches) {
    const full: Buffer[] = [];
    // They are copied before anything is yielded.
    for (const text of batch) {
      const bytes = text.json.byteLength + (text.end?.byteLength ?? 0);
      if (!piece.has(bytes)) full.push(piece.cut(bytes));
      piece.add(text);
    }
    for (const each of full) yield each;
  }
  yield piece.end();
}

/** The texts of stored documents. */
export async function* valuesOf(
  batches: AsyncIterable<readonly StoredDocument[]>,
): AsyncGenerator<JsonTexts> {
  for await (const batch of batches) yield batch.map(({ value }) => ({ json: value }));
}

/** A chunk of the text under way. It always keeps room for a comma and the closing bracket. */
class ArrayPiece {
  #buffer = Buffer.allocUnsafeSlow(firstBytes);
  #length = this.#buffer.writeUInt8(open);
  #first = true;

  has(bytes: number): boolean {
    return this.#length + bytes + 2 <= this.#buffer.byteLength;
  }

  add({ json, end }: JsonText): void {
    if (!this.#first) this.#buffer[this.#length++] = comma;
    this.#first = false;
    this.#buffer.set(json, this.#length);
    this.#length += json.byteLength;
    if (end === undefined) return;
    this.#buffer.set(end, this.#length - 1);
    this.#length += end.byteLength - 1;
  }

  /** Hands out what there is and goes on in a new buffer that has room for so many bytes. */
  cut(bytes: number): Buffer {
    const full = this.#buffer.subarray(0, this.#length);
    const larger = Math.min(pieceBytes, 4 * this.#buffer.length);
    this.#buffer = Buffer.allocUnsafeSlow(Math.max(larger, bytes + 2));
    this.#length = 0;
    return full;
  }

  end(): Buffer {
    return this.#buffer.subarray(0, this.#buffer.writeUInt8(close, this.#length));
  }
}

/**
 * The chunks as a stream. The first is fetched before it resolves, so that a store that is away still becomes a 503.
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
  return Readable.from(all(), { objectMode: false, highWaterMark: pieceBytes });
}
