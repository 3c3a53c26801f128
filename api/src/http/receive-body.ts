import type { IncomingMessage } from 'node:http';
import { createGunzip, type Gunzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import type { ApiConfig } from '../deps.js';
import { type HeldBody, BodyBuffer, type BodyBudget } from './body-memory.js';
import { HttpError, invalidRequest } from './errors.js';
import { createHash } from 'node:crypto';
import { describeJsonProblem, parseStrictJson } from '@rollcall/employee-lists/text';
import { callOf } from './call.js';
import type { ApiApp } from './fastify-types.js';

const withBody = new Set(['POST', 'PUT', 'PATCH']);

/** Parses bodies strictly, behind the guards. Fastify's own parsers accept invalid UTF-8, NUL and repeated names. */
export function receiveJsonBodies(app: ApiApp, config: ApiConfig, budget: BodyBudget): void {
  app.removeAllContentTypeParsers();
  // `application/json` comes first: the check of any other type runs for each call.
  app.addContentTypeParser(['application/json', '*'], (_request, _payload, done) => done(null, undefined));
  app.addHook('preValidation', async (request) => {
    if (!withBody.has(request.method) || request.routeOptions.config.body === 'stream') return;
    const { caller } = callOf(request);
    // The body of an unidentified caller is not read.
    if (!caller) return;
    const held = budget.open(caller.userId);
    try {
      const buffer = new BodyBuffer();
      const options = { limit: config.bodyLimit, timeouts: config.timeouts, held };
      await receiveBody(request, options, { take: (chunk) => buffer.add(chunk) });
      const bytes = buffer.takeWhole();
      callOf(request).bodySha256 = sha256Of(bytes);
      request.body = parseBody(bytes);
    } finally {
      held.release();
    }
  });
}

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function parseBody(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw invalidRequest(['The body is empty']);
  const parsed = parseStrictJson(bytes);
  if (!parsed.ok) throw invalidRequest([describeJsonProblem(parsed.problem)]);
  return parsed.value;
}

export interface ReceiveOptions {
  /** Bytes after unpacking. */
  readonly limit: number;
  /** In milliseconds: the interval in which `minMovedBytes` have to arrive or be unpacked, and the limit for the whole body. */
  readonly timeouts: Pick<ApiConfig['timeouts'], 'bodyProgress' | 'body'>;
  /** The caller releases it, also where the body does not arrive. */
  readonly held: HeldBody;
}

export interface BodySink {
  /** Takes over the chunk's memory. A returned promise holds back the next chunk. */
  take(chunk: Uint8Array): Promise<void> | undefined;
}

const unpackedBytes = 64 * 1024;

/** Bytes that must move in each `bodyProgress` (docs/contract, "Bodies under way"). */
const minMovedBytes = 64 * 1024;

/**
 * Resolves when the sink has the whole unpacked body. 415 for other types and packings than gzip, 413 over the limit, 400
 * for a truncated or damaged body, 408 for a slow one, 503 without room: before reading where the length is known. 401 where the
 * token was revoked meanwhile.
 */
export async function receiveBody(
  request: FastifyRequest,
  options: ReceiveOptions,
  sink: BodySink,
): Promise<void> {
  const gzipped = requireJson(request);
  // It emits no `close` any more.
  if (request.raw.destroyed) throw callerHasLeft();
  const declared = declaredLength(request.raw);
  if (!gzipped && declared !== undefined && declared > options.limit) throw tooLarge(options.limit);
  if (!gzipped && declared !== undefined) options.held.reach(declared);
  await new Receiver(request.raw, options, { gzipped, sink }).receive();
  await callOf(request).acceptAgain?.();
}

/** Whether the body is gzip; 415 for other types and packings. A call without a body needs no type. */
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

/** Bytes on the wire; undefined where the request does not say. */
export function declaredLength(raw: IncomingMessage): number | undefined {
  const length = raw.headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

const tooLarge = (limit: number): HttpError =>
  new HttpError('body-too-large', {
    message: `The body is larger than the ${limit} bytes that this endpoint takes.`,
  });

/** For the log: nobody reads the answer. */
export const callerHasLeft = (): HttpError =>
  new HttpError('request-timeout', { reason: 'the caller has left' });

const cutOff = (): HttpError => invalidRequest(['The body ended before it was complete']);

const notGzip = (): HttpError => invalidRequest(['The body is not valid gzip']);

interface Arriving {
  /** Bytes so far. */
  readonly moved: () => number;
  /** For this process only, because the body has arrived or is held back. */
  readonly isWaiting: () => boolean;
}

/** Calls `tooSlow` below the minimum rate. Returns the function that stops watching. */
export function watchRate(
  { bodyProgress, body }: ReceiveOptions['timeouts'],
  { moved, isWaiting }: Arriving,
  tooSlow: () => void,
): () => void {
  let before = moved();
  let looking: NodeJS.Immediate | undefined;
  const look = (): void => {
    if (moved() - before < minMovedBytes && !isWaiting()) tooSlow();
    before = moved();
  };
  // After `setImmediate`, so that data that arrived while the process was busy counts.
  const progress = setInterval(() => (looking = setImmediate(look)), bodyProgress);
  const whole = setTimeout(tooSlow, body);
  return () => {
    clearInterval(progress);
    clearTimeout(whole);
    clearImmediate(looking);
  };
}

class Receiver {
  readonly #raw: IncomingMessage;
  readonly #options: ReceiveOptions;
  readonly #gunzip: Gunzip | undefined;
  readonly #sink: BodySink;
  #arrived = 0;
  #unpacked = 0;
  /** Whether the sink holds the body back. */
  #waits = false;
  readonly #rate: Arriving = {
    moved: () => this.#arrived + this.#unpacked,
    isWaiting: () => this.#raw.complete || this.#waits,
  };

  constructor(raw: IncomingMessage, options: ReceiveOptions, body: { gzipped: boolean; sink: BodySink }) {
    this.#raw = raw;
    this.#options = options;
    this.#gunzip = body.gzipped ? createGunzip({ chunkSize: unpackedBytes }) : undefined;
    this.#sink = body.sink;
  }

  receive(): Promise<void> {
    return this.#whole().finally(() => this.#gunzip?.destroy());
  }

  #whole(): Promise<void> {
    return new Promise((resolve, reject) => {
      const raw = this.#raw;
      const fail = (error: unknown): void =>
        settle(() => reject(error instanceof Error ? error : new Error(String(error))));
      const stopTimers = watchRate(this.#options.timeouts, this.#rate, () =>
        fail(new HttpError('request-timeout')),
      );
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
      const onEnd = (): void => {
        // A NUL byte after the gzip data ends the unpacking.
        if (this.#gunzip && this.#gunzip.bytesWritten !== this.#arrived) fail(notGzip());
        else settle(resolve);
      };
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
      if (this.#gunzip) raw.pipe(this.#gunzip.on('error', () => fail(notGzip())));
      else raw.on('close', onLoss);
    });
  }

  #take(chunk: Uint8Array): Promise<void> | undefined {
    const { held, limit } = this.#options;
    const { byteLength } = chunk;
    if (this.#unpacked + byteLength > limit) throw tooLarge(limit);
    held.reach(this.#unpacked + byteLength);
    this.#unpacked += byteLength;
    return this.#sink.take(chunk);
  }

  /** Backpressure: reads nothing until the sink takes more, so that the client waits. */
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
}
