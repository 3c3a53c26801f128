import type { IncomingMessage } from 'node:http';
import { createGunzip, type Gunzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import type { HeldBody } from './body-budget.js';
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

/** Takes the unpacked bytes of a body as they come. */
export interface BodySink {
  /** Takes a chunk over, with its memory. Gives what to wait for before the next one may come, if anything. */
  take(chunk: Uint8Array): Promise<void> | undefined;
}

/** Bytes that are unpacked at a time. */
const unpackedBytes = 64 * 1024;

/** Bytes that move in `progressMs` at least (docs/contract, "Bodies under way"). */
const leastMoved = 64 * 1024;

/**
 * Receives the whole body of a request, unpacked, into a sink. 415 for what is not JSON or packed otherwise than by gzip, 413 over the limit,
 * 400 for a body that is cut off or does not unpack, 408 for one that is too slow, 503 where the budget has no room: before
 * the body is read where its length is known. Resolves only when the sink has taken a complete body.
 */
export async function receiveBody(
  request: FastifyRequest,
  options: ReceiveOptions,
  sink: BodySink,
): Promise<void> {
  const gzipped = requireJson(request);
  const declared = declaredLength(request.raw);
  if (!gzipped && declared !== undefined && declared > options.limit) throw tooLarge(options.limit);
  if (!gzipped && declared !== undefined) options.held.reach(declared);
  await new Receiver(request.raw, options, { gzipped, declared, sink }).receive();
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

/** How many bytes the body has as it comes; undefined where the request does not say. */
export function declaredLength(raw: IncomingMessage): number | undefined {
  const length = raw.headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

const tooLarge = (limit: number): HttpError =>
  new HttpError('body-too-large', {
    message: `The body is larger than the ${limit} bytes that this endpoint takes.`,
  });

const cutOff = (): HttpError => invalidRequest(['The body ended before it was complete']);

class Receiver {
  readonly #raw: IncomingMessage;
  readonly #options: ReceiveOptions;
  readonly #declared: number | undefined;
  readonly #gunzip: Gunzip | undefined;
  readonly #sink: BodySink;
  #arrived = 0;
  #unpacked = 0;
  /** Whether the sink keeps the body waiting. */
  #waits = false;

  constructor(
    raw: IncomingMessage,
    options: ReceiveOptions,
    body: { gzipped: boolean; declared: number | undefined; sink: BodySink },
  ) {
    this.#raw = raw;
    this.#options = options;
    this.#declared = body.declared;
    this.#gunzip = body.gzipped ? createGunzip({ chunkSize: unpackedBytes }) : undefined;
    this.#sink = body.sink;
  }

  async receive(): Promise<void> {
    try {
      await this.#whole();
    } finally {
      this.#gunzip?.destroy();
    }
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
          this.#waitFor(this.#take(chunk), source, fail);
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
      // What has arrived whole, or is kept waiting, waits for nobody but this process.
      if (moved - before < leastMoved && !this.#raw.complete && !this.#waits) tooSlow();
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

  #take(chunk: Uint8Array): Promise<void> | undefined {
    const { held, limit } = this.#options;
    const { byteLength } = chunk;
    held.reach(this.#unpacked + byteLength);
    if (this.#unpacked + byteLength > limit) throw tooLarge(limit);
    this.#unpacked += byteLength;
    return this.#sink.take(chunk);
  }

  /** Nothing more is read until the sink takes more; the connection fills up, and the client waits. */
  #waitFor(
    taken: Promise<void> | undefined,
    source: IncomingMessage | Gunzip,
    fail: (error: unknown) => void,
  ): void {
    if (taken === undefined) return;
    this.#waits = true;
    source.pause();
    const goOn = (): void => {
      this.#waits = false;
      source.resume();
    };
    taken.then(goOn, fail);
  }

  /** A connection that closes early ends the stream as well. */
  #isComplete(): boolean {
    return this.#declared === undefined || this.#arrived === this.#declared;
  }
}
