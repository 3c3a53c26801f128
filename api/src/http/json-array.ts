import { Readable, type Writable } from 'node:stream';
import type { StoredDocument } from '@rollcall/application';

const firstBytes = 8 * 1024;
const chunkBytes = 256 * 1024;
/** Made at most, and not taken by the operating system, of an answer that nobody reads. */
export const unsentBytes = 6 * chunkBytes;
const open = 0x5b;
const close = 0x5d;
const comma = 0x2c;

export interface JsonTexts {
  readonly length: number;
  readonly jsonAt: (at: number) => Uint8Array;
  readonly endAt?: (at: number) => Uint8Array;
}

/** One JSON array of these texts, in chunks of about 256 KiB, the first ones smaller. Sent chunks' memory is reused. */
export async function* jsonArray(
  batches: AsyncIterable<JsonTexts> | Iterable<JsonTexts>,
  memory = new ChunkMemory(),
): AsyncGenerator<Buffer> {
  const chunk = new ArrayChunk(memory);
  for await (const { length, jsonAt, endAt = () => none } of batches)
    for (let at = 0; at < length; at += 1) {
      const json = jsonAt(at);
      const end = endAt(at);
      const bytes = json.length + end.length;
      if (!chunk.has(bytes)) yield chunk.cut(bytes);
      chunk.add(json, end);
    }
  yield chunk.end();
}

const none = Buffer.alloc(0);

export const textsOf = <T>(all: readonly T[], json: (one: T) => Uint8Array): JsonTexts => {
  const texts = all.map(json);
  return { length: texts.length, jsonAt: (at) => texts[at] ?? none };
};

export async function* valuesOf(
  batches: AsyncIterable<readonly StoredDocument[]>,
): AsyncGenerator<JsonTexts> {
  for await (const batch of batches) yield textsOf(batch, ({ value }) => value);
}

/** A chunk under construction, with room for a comma and the closing bracket. */
class ArrayChunk {
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

  cut(bytes: number): Buffer {
    const full = this.#buffer.subarray(0, this.#length);
    const larger = Math.min(chunkBytes, 4 * this.#buffer.length);
    this.#buffer = this.#memory.behind(full.length, this.#buffer, Math.max(larger, bytes + 2));
    this.#length = 0;
    return full;
  }

  end(): Buffer {
    return this.#buffer.subarray(0, this.#buffer.writeUInt8(close, this.#length));
  }
}

/** Reuses the memory of sent chunks: most of a long answer would otherwise be garbage. */
class ChunkMemory {
  readonly #used: { readonly memory: Buffer; readonly end: number }[] = [];
  #end = 0;
  /** Emitted bytes that the operating system has not taken yet. */
  underWay = (): number => Infinity;

  behind(length: number, memory: Buffer, bytes: number): Buffer {
    const [first] = this.#used;
    const isSent = first !== undefined && first.end + this.underWay() <= this.#end;
    this.#end += length;
    this.#used.push({ memory, end: this.#end });
    if (isSent) this.#used.shift();
    return isSent && first.memory.length >= bytes ? first.memory : Buffer.allocUnsafeSlow(bytes);
  }
}

/** Fetches the first chunk before resolving, so that an outage is still a 503. Destroying the stream ends the iteration. */
export async function startedStream(chunks: AsyncGenerator<Buffer | string>): Promise<Readable> {
  const first = await chunks.next();
  const all = async function* (): AsyncGenerator<Buffer | string> {
    if (!first.done) yield first.value;
    yield* chunks;
  };
  const stream = Readable.from(all(), { objectMode: false, highWaterMark: chunkBytes });
  // Destroyed before its first read, as of a caller who has left, it begins none of `all`, and so ends none.
  return stream.once('close', () => void chunks.return(undefined).catch(() => undefined));
}

/** The same for an array, whose memory is reused once sent: send it with this answer only. */
export async function startedArray(
  batches: AsyncIterable<JsonTexts>,
  answer: Pick<Writable, 'writableLength'>,
): Promise<Readable> {
  const memory = new ChunkMemory();
  const stream = await startedStream(jsonArray(batches, memory));
  memory.underWay = () => stream.readableLength + answer.writableLength;
  return stream;
}

export interface PageTexts extends JsonTexts {
  readonly idAt: (at: number) => string;
}

/** The first `top` documents of an iteration that is limited to one more. `last`: the id of the last of them, if more follow. */
export async function firstPage(batches: AsyncIterable<PageTexts>, top: number) {
  let last: string | undefined;
  let count = 0;
  const taken = async function* (): AsyncGenerator<JsonTexts> {
    let lastTaken: string | undefined;
    for await (const batch of batches) {
      const length = Math.min(batch.length, top - count);
      count += length;
      if (length > 0) {
        lastTaken = batch.idAt(length - 1);
        yield { ...batch, length };
      }
      if (length < batch.length) {
        last = lastTaken;
        return;
      }
    }
  };
  const chunks: Buffer[] = [];
  for await (const chunk of jsonArray(taken())) chunks.push(chunk);
  return { json: Buffer.concat(chunks), last };
}

/** The `Link` header of the next page (RFC 8288). */
export function nextPage(path: string, parameters: Readonly<Record<string, string | number>>): string {
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `<${path}?${query.join('&')}>; rel="next"`;
}
