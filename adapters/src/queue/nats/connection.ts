import { connect, Events, NatsError, type ApiError, type ConnectionOptions, type NatsConnection } from 'nats';
import { QueueRefused, QueueUnavailable, within } from '@rollcall/application';
import type { NatsAddress } from './address.js';

const RECONNECT_MS = 500;
const PING_MS = 10_000;
const PINGS_OUT = 2;

export interface Session {
  readonly nc: NatsConnection;
  readonly lost: AbortSignal;
}

/** Connects on first use. While disconnected, each use throws `QueueUnavailable` at once. No use outlasts its deadline. */
export class Connection {
  readonly timeoutMs: number;
  readonly #options: ConnectionOptions;
  #connecting: Promise<NatsConnection> | undefined;
  #nc: NatsConnection | undefined;
  #lost = new AbortController();
  #closed = false;

  constructor(address: NatsAddress, options: { readonly name: string; readonly timeoutMs: number }) {
    const { servers, tls, ...credentials } = address;
    this.timeoutMs = options.timeoutMs;
    this.#lost.abort();
    this.#options = {
      servers: [...servers],
      ...(tls && { tls: {} }),
      ...credentials,
      name: options.name,
      timeout: options.timeoutMs,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_MS,
      ignoreAuthErrorAbort: true,
      pingInterval: PING_MS,
      maxPingOut: PINGS_OUT,
      noAsyncTraces: true,
    };
  }

  ensureOpen(): void {
    if (this.#closed) throw new QueueUnavailable('The queue is closed');
  }

  async session(): Promise<Session> {
    this.ensureOpen();
    const nc = this.#nc?.isClosed() === false ? this.#nc : await this.#connected();
    const lost = this.#lost.signal;
    if (lost.aborted) throw new QueueUnavailable('NATS is away: the connection is lost');
    return { nc, lost };
  }

  /** `QueueUnavailable` if the work fails, or the connection is lost meanwhile. */
  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.session();
    try {
      return await orLost(work(session), session.lost);
    } catch (error) {
      throw unavailable(error, this.timeoutMs);
    }
  }

  send(say: () => unknown): Promise<void> {
    return this.use(async ({ nc }) => {
      await say();
      await this.answers(nc);
    });
  }

  /** Resolves when the server has received everything sent before. */
  answers(nc: NatsConnection): Promise<void> {
    return within(nc.flush(), this.timeoutMs, noAnswer);
  }

  /** Lasts no longer than any other use; what it leaves behind ends by itself. */
  async close(): Promise<void> {
    this.#closed = true;
    try {
      const nc = this.#nc ?? (await within(Promise.resolve(this.#connecting), this.timeoutMs));
      this.#lost.abort();
      await within(nc?.close() ?? Promise.resolve(), this.timeoutMs);
    } catch {
      this.#lost.abort();
    }
  }

  async #connected(): Promise<NatsConnection> {
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    try {
      return await within(this.#connecting, this.timeoutMs, noConnection);
    } catch (error) {
      throw unavailable(error, this.timeoutMs);
    }
  }

  async #connect(): Promise<NatsConnection> {
    const nc = await connect(this.#options);
    if (this.#closed) await nc.close();
    this.#nc = nc;
    this.#lost = new AbortController();
    this.#watch(nc).catch(() => this.#lost.abort());
    return nc;
  }

  async #watch(nc: NatsConnection): Promise<void> {
    for await (const { type } of nc.status()) {
      if (type === Events.Disconnect) this.#lost.abort();
      if (type === Events.Reconnect) this.#lost = new AbortController();
    }
    this.#lost.abort();
  }
}

async function orLost<T>(work: Promise<T>, lost: AbortSignal): Promise<T> {
  const ended = new AbortController();
  const loss = new Promise<never>((_, reject) => {
    const signal = AbortSignal.any([lost, ended.signal]);
    const refuse = (): void => reject(new QueueUnavailable('NATS is away: the connection was lost'));
    if (signal.aborted) refuse();
    else signal.addEventListener('abort', refuse, { once: true });
  });
  try {
    return await Promise.race([work, loss]);
  } finally {
    ended.abort();
  }
}

const noAnswer = (ms: number): QueueUnavailable =>
  new QueueUnavailable(`NATS is away: no answer within ${ms} ms`);

const noConnection = (ms: number): QueueUnavailable =>
  new QueueUnavailable(`NATS is away: no connection within ${ms} ms`);

export const STREAM_MISSING = 10_059;
export const CONSUMER_MISSING = 10_014;
const MISSING: readonly unknown[] = [STREAM_MISSING, CONSUMER_MISSING];

/** The stream or its consumer is missing, or JetStream is not ready: their subjects have no listener. */
export class NobodyListens extends QueueUnavailable {}

const nobodyListens = (refused?: ApiError): string =>
  `NATS is there, but not the queue: ${refused?.description || 'nobody listens'}`;

/** A limit of the stream, the account or the server refuses the message. */
export class NoRoom extends QueueUnavailable {}

const NO_ROOM: Readonly<Record<number, readonly [problem: string, remedy: string]>> = {
  10_077: ['The stream of the queue in NATS is full', 'remove its limits'],
  10_002: ['The account of NATS_URL is over its limits of JetStream', 'raise them'],
  10_023: ['The server of NATS has no room for JetStream', 'raise its max_file_store, or free its disk'],
};

const REFUSALS: Readonly<Record<string, string>> = {
  AUTHORIZATION_VIOLATION: 'NATS refuses the user of NATS_URL',
  AUTHENTICATION_EXPIRED: 'The credentials of NATS_URL have expired',
  ACCOUNT_EXPIRED: 'The account of NATS_URL has expired',
  PERMISSIONS_VIOLATION: 'NATS does not allow the user of NATS_URL all that it needs of JetStream',
};

const codeIn = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? `: ${error.code}` : '';

/** The library's failure in our own words, without anything that was sent. */
function unavailable(error: unknown, timeoutMs: number): QueueUnavailable {
  if (error instanceof QueueUnavailable) return error;
  if (error instanceof NatsError) return refusalOf(error, timeoutMs);
  return new QueueUnavailable(`NATS is away${codeIn(error)}`, { cause: error });
}

function refusalOf(error: NatsError, timeoutMs: number): QueueUnavailable {
  const { code, api_error: refused } = error;
  const refusal = REFUSALS[code];
  if (refusal !== undefined) return new QueueRefused(refusal, { cause: error });
  const full = NO_ROOM[codeOf(refused)];
  if (full !== undefined) return new NoRoom(`${full[0]}: ${describe(error)}: ${full[1]}`, { cause: error });
  if (code === '503' || error.message === 'consumer deleted' || MISSING.includes(codeOf(refused))) {
    return new NobodyListens(nobodyListens(refused), { cause: error });
  }
  if (code === 'TIMEOUT') return noAnswer(timeoutMs);
  return new QueueUnavailable(`NATS is away: ${describe(error)}`, { cause: error });
}

const codeOf = (refused?: ApiError): number => refused?.err_code ?? 0;
const describe = ({ code, api_error: refused }: NatsError): string => refused?.description ?? code;
