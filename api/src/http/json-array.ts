import { Readable, type Writable } from 'node:stream';
import type { StoredDocument } from '@rollcall/application';

const firstBytes = 8 * 1024;
const pieceBytes = 256 * 1024;
const open = 0x5b;
const close = 0x5d;
const comma = 0x2c;

/** JSON texts that are valid until the next ones are asked for; where one has an end, that stands for its closing bracket. */
export interface JsonTexts {
  readonly length: number;
  readonly jsonAt: (at: number) => Uint8Array;
  readonly endAt?: (at: number) => Uint8Array;
}

/** Joins texts to that of one JSON array, in chunks of about 256 KiB, the first ones smaller, in the memory of those that are sent. */
export async function* jsonArray(
  batches: AsyncIterable<JsonTexts> | Iterable<JsonTexts>,
  memory = new ChunkMemory(),
): AsyncGenerator<Buffer> {
  const piece = new ArrayPiece(memory);
  for await (const { length, jsonAt, endAt = noEnd } of batches)
    for (let at = 0; at < length; at += 1) {
      const json = jsonAt(at);
      const end = endAt(at);
      const bytes = json.length + end.length;
      if (!piece.has(bytes)) yield piece.cut(bytes);
      piece.add(json, end);
    }
  yield piece.end();
}

const none = Buffer.alloc(0);
const noEnd = (): Uint8Array => none;

/** One text for each of these. */
export const textsOf = <T>(all: readonly T[], json: (one: T) => Uint8Array): JsonTexts => {
  const texts = all.map(json);
  return { length: texts.length, jsonAt: (at) => texts[at] ?? none };
};

/** The texts of stored documents. */
export async function* valuesOf(
  batches: AsyncIterable<readonly StoredDocument[]>,
): AsyncGenerator<JsonTexts> {
  for await (const batch of batches) yield textsOf(batch, ({ value }) => value);
}

/** A chunk of the text under way. It always keeps room for a comma and the closing bracket. */
class ArrayPiece {
  readonly #memory: ChunkMemory;
  #buffer: Buffer = Buffer.allocUnsafeSlow(firstBytes);
  #length = this.#buffer.writeUInt8(open);
  #first = true;

  constructor(memory: ChunkMemory) {
    this.#memory = memory;
  }

  has(bytes: number): boolean {
    return this.#length + bytes + 2 <= this.#buffer.byteLength;
  }

  add(json: Uint8Array, end: Uint8Array): void {
    if (!this.#first) this.#buffer[this.#length++] = comma;
    this.#first = false;
    this.#buffer.set(json, this.#length);
    this.#length += json.length;
    if (end.length === 0) return;
    this.#buffer.set(end, this.#length - 1);
    this.#length += end.length - 1;
  }

  /** Hands out what there is and goes on in a new buffer that has room for so many bytes. */
  cut(bytes: number): Buffer {
    const full = this.#buffer.subarray(0, this.#length);
    const larger = Math.min(pieceBytes, 4 * this.#buffer.length);
    this.#buffer = this.#memory.behind(full.length, this.#buffer, Math.max(larger, bytes + 2));
    this.#length = 0;
    return full;
  }

  end(): Buffer {
    return this.#buffer.subarray(0, this.#buffer.writeUInt8(close, this.#length));
  }
}

/** Memory of chunks, used again for later ones: what is left to the collector of garbage comes to most of a long answer. */
class ChunkMemory {
  readonly #used: { readonly memory: Buffer; readonly end: number }[] = [];
  #end = 0;
  /** How many of the bytes that were handed out the operating system does not have yet, at most. */
  underWay = (): number => Infinity;

  /** Memory of so many bytes and more, behind a chunk that is handed out; they are sent in this order. */
  behind(length: number, memory: Buffer, bytes: number): Buffer {
    const [first] = this.#used;
    const isSent = first !== undefined && first.end + this.underWay() <= this.#end;
    this.#end += length;
    this.#used.push({ memory, end: this.#end });
    if (isSent) this.#used.shift();
    return isSent && first.memory.length >= bytes ? first.memory : Buffer.allocUnsafeSlow(bytes);
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

/** The same of an array, in memory that is used again when its bytes are sent. To be sent by nothing else than this answer. */
export async function startedArray(
  batches: AsyncIterable<JsonTexts>,
  answer: Pick<Writable, 'writableLength'>,
): Promise<Readable> {
  const memory = new ChunkMemory();
  const stream = await startedStream(jsonArray(batches, memory));
  memory.underWay = () => stream.readableLength + answer.writableLength;
  return stream;
}
