import { once } from 'node:events';
import {
  connect,
  constants,
  createServer,
  type ClientHttp2Session,
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
}

/**
 * Stands before an EventStoreDB and tells the calls to its streams, each by its method and its stream; it can hold appends
 * back. Without TLS.
 */
export class GrpcProxy {
  readonly #server = createServer();
  readonly #target: ClientHttp2Session;
  #calls: GrpcCall[] = [];
  #held: (() => void)[] | undefined;
  #toCut: string | undefined;

  private constructor(target: ClientHttp2Session) {
    this.#target = target;
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

  /** The next call of this method reaches the server and is cut off there: its caller learns nothing of what became of it. */
  cutNext(method: string): void {
    this.#toCut = method;
  }

  stop(): void {
    this.#target.destroy();
    this.#server.close();
  }

  #forward(stream: ServerHttp2Stream, headers: Record<string, unknown>): void {
    const path = String(headers[constants.HTTP2_HEADER_PATH]);
    const method = path.startsWith(SERVICE) ? path.slice(SERVICE.length) : undefined;
    const through = (): void => this.#pass(stream, headers);
    if (method !== undefined && method === this.#toCut) {
      this.#toCut = undefined;
      stream.once('data', () => setImmediate(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR)));
    }
    if (method === undefined) return through();
    if (method !== 'Append' || this.#held === undefined) {
      this.#tell(stream, method);
      return through();
    }
    this.#held.push(() => {
      this.#tell(stream, method);
      through();
    });
  }

  #pass(stream: ServerHttp2Stream, headers: Record<string, unknown>): void {
    const forwarded = Object.fromEntries(
      Object.entries(headers).filter(([name]) => name !== constants.HTTP2_HEADER_AUTHORITY),
    );
    const upstream = this.#target.request(forwarded as Record<string, string>);
    stream.pipe(upstream);
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

  /** Once the first message is there. */
  #tell(stream: ServerHttp2Stream, method: string): void {
    let bytes = Buffer.alloc(0);
    const look = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const length = bytes.length < 5 ? Infinity : bytes.readUInt32BE(1);
      if (bytes.length < 5 + length) return;
      stream.off('data', look);
      this.#calls.push({ method, ...placeIn(method, bytes.subarray(5, 5 + length)) });
    };
    stream.on('data', look);
  }
}

const withoutPseudo = (headers: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !name.startsWith(':'))
      .map(([name, value]) => [name, String(value)]),
  );

function placeIn(method: string, message: Uint8Array): Omit<GrpcCall, 'method'> {
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
