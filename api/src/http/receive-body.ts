import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createGunzip, type Gunzip } from 'node:zlib';
import { releaseMemory } from '@rollcall/adapters';
import type { FastifyRequest } from 'fastify';
import type { HeldBody } from './body-budget.js';
import { ByteCollector } from './byte-collector.js';
import { HttpError, invalidRequest } from './errors.js';

export interface ReceiveOptions {
  /** Bytes after unpacking. */
  readonly limit: number;
  /** In any so many milliseconds at least `leastMoved` bytes arrive or are unpacked, or the upload is cut. */
  readonly progressMs: number;
  /** Milliseconds after which an upload is cut however fast it moves. */
  readonly mostMs: number;
  /** What the body holds of the budget; whoever opened it gives it back, also where the body does not arrive. */
  readonly held: HeldBody;
}

export interface ReceivedBody {
  /** Unpacked. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of the unpacked bytes, hex. */
  readonly sha256: string;
}

const firstBlock = 64 * 1024;

/** Bytes that move in `progressMs` at least (docs/contract, "Bodies under way"). */
const leastMoved = 64 * 1024;

/**
 * The whole body of a request, unpacked. 415 for what is not JSON or packed otherwise than by gzip, 413 over the limit,
 * 400 for a body that is cut off or does not unpack, 408 for one that is too slow, 503 where the budget has no room: before
 * the body is read where its length is known. Resolves only with a complete body.
 */
export async function receiveBody(request: FastifyRequest, options: ReceiveOptions): Promise<ReceivedBody> {
  const gzipped = requireJson(request);
  const declared = declaredLength(request.raw);
  if (!gzipped && declared !== undefined && declared > options.limit) throw tooLarge(options.limit);
  if (!gzipped && declared !== undefined) options.held.reach(declared);
  const receiver = new Receiver(request.raw, options, { gzipped, declared });
  return receiver.receive();
}

/** Whether the body is packed by gzip; 415 for other types and packings. No type is no offence where there is no body. */
function requireJson({ headers }: FastifyRequest): boolean {
  const type = headers['content-type'];
  const bodyless = headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
  const isJson =
    type === undefined
      ? bodyless
      : /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?;?$/i.test(type.trim());
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (!isJson || !['identity', 'gzip', ''].includes(encoding)) throw new HttpError('unsupported-media-type');
  return encoding === 'gzip';
}

function declaredLength(raw: IncomingMessage): number | undefined {
  const length = raw.headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

const tooLarge = (limit: number): HttpError =>
  new HttpError('body-too-large', {
    message: `The body is larger than the ${limit} bytes that this endpoint takes.`,
  });

/** Less is not worth it. */
const leastReleased = 16 * 1024;

/**
 * The server gives each chunk on memory of its own. Left to the garbage collector, those of a large body would weigh as much
 * as the body, and bring on whole collections while small callers wait.
 */
function releaseChunk({ buffer, byteLength }: Uint8Array): void {
  const isWhole = byteLength === buffer.byteLength && byteLength >= leastReleased;
  if (isWhole && buffer instanceof ArrayBuffer) releaseMemory(buffer);
}

const cutOff = (): HttpError => invalidRequest(['The body ended before it was complete']);

class Receiver {
  readonly #raw: IncomingMessage;
  readonly #options: ReceiveOptions;
  readonly #declared: number | undefined;
  readonly #gunzip: Gunzip | undefined;
  readonly #hash: Hash = createHash('sha256');
  readonly #collector: ByteCollector;
  #arrived = 0;
  #unpacked = 0;

  constructor(
    raw: IncomingMessage,
    options: ReceiveOptions,
    body: { gzipped: boolean; declared: number | undefined },
  ) {
    this.#raw = raw;
    this.#options = options;
    this.#declared = body.declared;
    this.#gunzip = body.gzipped ? createGunzip() : undefined;
    const expected = body.gzipped || body.declared === undefined ? firstBlock : body.declared;
    this.#collector = new ByteCollector({ limit: options.limit, expected });
  }

  async receive(): Promise<ReceivedBody> {
    try {
      await this.#whole();
    } finally {
      this.#gunzip?.destroy();
    }
    return { bytes: this.#collector.bytes(), sha256: this.#hash.digest('hex') };
  }

  #whole(): Promise<void> {
    return new Promise((resolve, reject) => {
      const raw = this.#raw;
      const fail = (error: unknown): void =>
        settle(() => reject(error instanceof Error ? error : new Error(String(error))));
      const stopTimers = this.#watchRate(() => fail(new HttpError('request-timeout')));
      const onArrival = (chunk: Uint8Array): void => {
        this.#arrived += chunk.byteLength;
      };
      const onData = (chunk: Uint8Array): void => {
        try {
          this.#take(chunk);
        } catch (error) {
          fail(error);
        }
      };
      const onEnd = (): void => (this.#isComplete() ? settle(resolve) : fail(cutOff()));
      const onLoss = (): void => fail(cutOff());
      const source = this.#gunzip ?? raw;
      const settle = (then: () => void): void => {
        stopTimers();
        raw.off('data', onArrival).off('close', onLoss).off('aborted', onLoss);
        source.off('data', onData).off('end', onEnd);
        if (this.#gunzip) raw.unpipe(this.#gunzip);
        raw.resume();
        then();
      };
      raw.on('data', onArrival).on('aborted', onLoss).on('error', onLoss);
      source.on('data', onData).on('end', onEnd);
      if (this.#gunzip)
        raw.pipe(this.#gunzip.on('error', () => fail(invalidRequest(['The body is not valid gzip']))));
      else raw.on('close', onLoss);
    });
  }

  /** Calls `tooSlow` where the body moves less than it must; gives what stops watching. */
  #watchRate(tooSlow: () => void): () => void {
    const { progressMs, mostMs } = this.#options;
    let before = 0;
    let looking: NodeJS.Immediate | undefined;
    const look = (): void => {
      const moved = this.#arrived + this.#unpacked;
      // What has arrived whole waits for nobody but this process.
      if (moved - before < leastMoved && !this.#raw.complete) tooSlow();
      before = moved;
    };
    // Behind what arrived while the process did something else.
    const progress = setInterval(() => (looking = setImmediate(look)), progressMs);
    const most = setTimeout(tooSlow, mostMs);
    return () => {
      clearInterval(progress);
      clearTimeout(most);
      clearImmediate(looking);
    };
  }

  #take(chunk: Uint8Array): void {
    this.#options.held.reach(this.#unpacked + chunk.byteLength);
    if (!this.#collector.add(chunk)) throw tooLarge(this.#collector.limit);
    this.#unpacked += chunk.byteLength;
    this.#hash.update(chunk);
    if (this.#gunzip === undefined) releaseChunk(chunk);
  }

  /** A connection that closes early ends the stream as well. */
  #isComplete(): boolean {
    return this.#declared === undefined || this.#arrived === this.#declared;
  }
}
