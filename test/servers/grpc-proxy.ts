import { once } from 'node:events';
import {
  connect,
  constants,
  createServer,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { nameIn, streams } from './eventstoredb-stand-in/protocol.js';

const SERVICE = '/event_store.client.streams.Streams/';

export interface GrpcCall {
  /** `Append`, `BatchAppend`, `Read`, `Tombstone`. */
  readonly method: string;
  /** With its prefix; `$all` for the whole log. */
  readonly stream: string;
  /** A subscription lasts; what comes over it costs no calls. */
  readonly isSubscription: boolean;
  /** Each message of a `BatchAppend` is an append, and told; the first one is 1. */
  readonly nth: number;
}

/**
 * Stands before an EventStoreDB and tells the calls to its streams, each by its method and its stream; it can hold appends
 * of a `BatchAppend` back, and break connections. Without TLS.
 */
export class GrpcProxy {
  readonly #server = createServer();
  readonly #target: ClientHttp2Session;
  #calls: GrpcCall[] = [];
  #held: (() => void)[] | undefined;
  #toCut: string | undefined;
  readonly #sessions = new Set<ServerHttp2Session>();
  #reads = 0;
  #breakingAt: readonly number[] = [];

  private constructor(target: ClientHttp2Session) {
    this.#target = target;
    this.#server.on('session', (session) => {
      this.#sessions.add(session);
      session.on('error', () => undefined).once('close', () => this.#sessions.delete(session));
    });
    this.#server.on('stream', (stream, headers) => this.#forward(stream, headers));
  }

  static async start(port: number): Promise<GrpcProxy> {
    const target = connect(`http://127.0.0.1:${port}`);
    await once(target, 'connect');
    const proxy = new GrpcProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The calls since the last look, in their order. */
  taken(): readonly GrpcCall[] {
    const taken = this.#calls;
    this.#calls = [];
    return taken;
  }

  /** From now on appends wait until they are let through. */
  hold(): { readonly count: () => number; readonly release: () => void } {
    const held: (() => void)[] = [];
    this.#held = held;
    return {
      count: () => held.length,
      release: () => {
        this.#held = undefined;
        for (const through of held) through();
      },
    };
  }

  /** With its next message a call of this method is cut off: the message reaches the server, and its caller learns nothing of what became of it. */
  cutNext(method: string): void {
    this.#toCut = method;
  }

  /** At these reads, of which the next one is the first, every connection is reset. */
  breakAtReads(...breakingAt: readonly number[]): void {
    this.#reads = 0;
    this.#breakingAt = breakingAt;
  }

  stop(): void {
    this.#target.destroy();
    this.#server.close();
  }

  #forward(stream: ServerHttp2Stream, headers: Record<string, unknown>): void {
    const path = String(headers[constants.HTTP2_HEADER_PATH]);
    const method = path.startsWith(SERVICE) ? path.slice(SERVICE.length) : undefined;
    if (method === 'Read' && this.#breakingAt.includes(++this.#reads)) {
      for (const session of this.#sessions) session.destroy();
      return;
    }
    const forwarded = Object.fromEntries(
      Object.entries(headers).filter(([name]) => name !== constants.HTTP2_HEADER_AUTHORITY),
    );
    const upstream = this.#target.request(forwarded as Record<string, string>);
    if (method === undefined) stream.pipe(upstream);
    else this.#passMessages(method, stream, upstream);
    let trailers: Record<string, string> = {};
    upstream.on('trailers', (given: Record<string, unknown>) => (trailers = withoutPseudo(given)));
    upstream.on('response', (given: Record<string, unknown>) => {
      const answer = { ...withoutPseudo(given), [constants.HTTP2_HEADER_STATUS]: 200 };
      // A call without a message ends with its first headers.
      if ('grpc-status' in given) return stream.respond(answer, { endStream: true });
      stream.respond(answer, { waitForTrailers: true });
      upstream.pipe(stream);
    });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    const cancel = (): void => {
      upstream.close(constants.NGHTTP2_CANCEL);
      stream.close(constants.NGHTTP2_CANCEL);
    };
    for (const end of [stream, upstream]) end.on('error', cancel).on('aborted', cancel);
  }

  #passMessages(method: string, stream: ServerHttp2Stream, upstream: ClientHttp2Stream): void {
    let bytes = Buffer.alloc(0);
    let nth = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (let end = endOfMessage(bytes); end !== undefined; end = endOfMessage(bytes)) {
        const message = bytes.subarray(0, end);
        bytes = bytes.subarray(end);
        nth += 1;
        this.#passMessage({ method, nth, message, stream }, () => upstream.write(message));
      }
    });
    stream.on('end', () => upstream.end());
  }

  #passMessage({ method, nth, message, stream }: PassedMessage, pass: () => void): void {
    const through = (): void => {
      if (nth === 1 || method === 'BatchAppend')
        this.#calls.push({ method, nth, ...placeIn(method, message.subarray(MESSAGE_HEAD)) });
      pass();
    };
    if (method === this.#toCut) {
      this.#toCut = undefined;
      setImmediate(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
    }
    if (method === 'BatchAppend' && this.#held !== undefined) this.#held.push(through);
    else through();
  }
}

interface PassedMessage {
  readonly method: string;
  readonly nth: number;
  /** With its head. */
  readonly message: Buffer;
  readonly stream: ServerHttp2Stream;
}

/** Compressed or not, and the length. */
const MESSAGE_HEAD = 5;

function endOfMessage(bytes: Buffer): number | undefined {
  const end = bytes.length < MESSAGE_HEAD ? Infinity : MESSAGE_HEAD + bytes.readUInt32BE(1);
  return bytes.length < end ? undefined : end;
}

const withoutPseudo = (headers: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !name.startsWith(':'))
      .map(([name, value]) => [name, String(value)]),
  );

function placeIn(method: string, message: Uint8Array): Omit<GrpcCall, 'method' | 'nth'> {
  if (method === 'Read') {
    const options = streams.ReadReq.deserializeBinary(message).getOptions();
    const stream = options?.getStream()?.getStreamIdentifier();
    return {
      stream: stream === undefined ? '$all' : nameIn(stream),
      isSubscription: options?.hasSubscription() === true,
    };
  }
  const identifier = identifiers[method]?.(message);
  return { stream: nameIn(identifier), isSubscription: false };
}

type Identify = (message: Uint8Array) => { getStreamName_asU8(): Uint8Array } | undefined;

const identifiers: Readonly<Record<string, Identify>> = {
  Append: (message) => streams.AppendReq.deserializeBinary(message).getOptions()?.getStreamIdentifier(),
  BatchAppend: (message) =>
    streams.BatchAppendReq.deserializeBinary(message).getOptions()?.getStreamIdentifier(),
  Tombstone: (message) => streams.TombstoneReq.deserializeBinary(message).getOptions()?.getStreamIdentifier(),
};
