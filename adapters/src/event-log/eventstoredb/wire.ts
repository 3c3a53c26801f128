import { finished } from 'node:stream';
import { UnavailableError, type EventStoreDBClient } from '@eventstore/db-client';
import type {
  AppendReq,
  AppendResp,
  ReadReq,
  TombstoneReq,
} from '@eventstore/db-client/generated/streams_pb.js';
import { status, type CallOptions, type Metadata, type ServiceError } from '@grpc/grpc-js';
import { Limiter, sharing, within } from '@rollcall/application';
import { coreOf, isClosed, nodeOf, type ClientCore } from './client-core.js';
import { ConnectionBreaks } from './connection-breaks.js';
import { failureOf, isCommitTimeout, isLeaderless, isNotLeader, isUnsent, notInTime } from './failures.js';
import type { Leaders } from './leaders.js';
import type { OpenBatch } from './batched-appends.js';
import { maxRedirects, ReadCall, redirectPause, type ReadCallOptions } from './read-call.js';
import { StreamsClient } from './streams-service.js';

type Done<R> = (error: ServiceError | null, response: R) => void;

type Start<R> = (client: StreamsClient, metadata: Metadata, options: CallOptions, done: Done<R>) => void;

interface WireOptions {
  readonly leaders: Leaders;
  readonly timeoutMs: number;
  readonly silenceMs: number;
  readonly onMoved?: (node: string) => void;
  readonly notFound: (error: unknown) => Promise<never>;
}

/** Of the server's 100 per connection, which may count a call longer than we do. */
const maxCalls = 90;

/** Right after a redirect this connection knows the leader better than another. */
const redirectTrustMs = 1_000;

export class Wire {
  readonly #client: EventStoreDBClient;
  readonly #core: ClientCore;
  readonly #leaders: Leaders;
  readonly #timeoutMs: number;
  readonly #slots = new Limiter(maxCalls);
  readonly #following = new Set<ReadCall>();
  readonly #breaks = new ConnectionBreaks();
  #used: StreamsClient | undefined;
  #redirect: string | undefined;
  #movedAt = -Infinity;
  #isUsed = false;
  #moving: Promise<void> = Promise.resolve();
  readonly #watch: NodeJS.Timeout;
  #moves = -1;

  constructor(client: EventStoreDBClient, options: WireOptions) {
    const { leaders, timeoutMs, silenceMs, onMoved, notFound } = options;
    this.#client = client;
    this.#core = coreOf(client);
    this.#leaders = leaders;
    this.#timeoutMs = timeoutMs;
    // A node that was cut off still answers, without newer events.
    this.#watch = setInterval(() => void (this.#isUsed && this.seekLeader()), silenceMs).unref();
    const { handleError, createChannel, resolveUri } = this.#core;
    // The client asks one node, or trusts itself: it may be cut off.
    this.#core.resolveUri = async () =>
      this.#redirect ?? leaders.leaderFor(await resolveUri().catch(notFound));
    // The client does not await this: a rejection would end the process. Serialised, so that a second caller finds it moved.
    this.#core.handleError = (failed, error) =>
      (this.#moving = this.#moving.then(() => handleError(failed, error)).catch(() => undefined));
    this.#core.createChannel = async () => {
      const channel = await createChannel();
      this.#breaks.opened(channel);
      this.#moves += 1;
      for (const call of this.#following) call.leave();
      this.#following.clear();
      // A connection that follows another does not lead.
      if (this.#moves > 0 && this.#redirect === undefined) {
        this.#movedAt = performance.now();
        onMoved?.(nodeOf(channel));
      }
      this.#redirect = undefined;
      return channel;
    };
  }

  /** Reconnects, to the same node too. */
  get breaks(): number {
    return this.#breaks.count;
  }

  /** Results before and after a move may come from different nodes. */
  get moves(): number {
    return Math.max(0, this.#moves);
  }

  get hasRoom(): boolean {
    return this.#slots.hasFree;
  }

  /** Follows another connection of this log: reads must see its writes. */
  moveTo(node: string): void {
    const used = this.#used;
    if (performance.now() - this.#movedAt < redirectTrustMs) return;
    if (used !== undefined && nodeOf(used.getChannel()) === node) return;
    this.#redirect = node;
    if (used === undefined) return;
    // A new channel ends all follow-reads; only one is opened.
    void this.#core
      .handleError(used, new UnavailableError())
      .then(() => this.#core.getChannel())
      .catch(() => undefined);
  }

  /** Moves if most nodes name another leader than this connection's. */
  readonly seekLeader: () => Promise<unknown> = sharing(() => this.#leaders.follow(this.#core));

  append(requests: readonly AppendReq[], timeoutMs: number): Promise<AppendResp> {
    return this.#unary(timeoutMs, (client, metadata, options, done: Done<AppendResp>) => {
      const call = client.append(metadata, options, done);
      // The answer may precede the last write, which then fails.
      call.on('error', () => undefined);
      for (const request of requests) call.write(request);
      call.end();
    });
  }

  async tombstone(request: TombstoneReq): Promise<void> {
    await this.#unary(this.#timeoutMs, (client, metadata, options, done: Done<unknown>) => {
      client.tombstone(request, metadata, options, done);
    });
  }

  /** Decided in order of sending; ends when ended, or with an error. */
  async batchAppend(): Promise<OpenBatch> {
    this.#isUsed = true;
    const leave = await this.#slots.enter();
    await this.#moving;
    let used: StreamsClient | undefined;
    const create = this.#core.GRPCStreamCreator(StreamsClient, 'batchAppend', (client) => {
      this.#used = used = client;
      return client.batchAppend(
        ...this.#core.callArguments({ requiresLeader: true }, { deadline: Infinity }),
      );
    });
    try {
      const call = await create();
      finished(call, leave);
      return { call, isCurrent: () => !isClosed(used), onSilence: () => this.#isSilent(used) };
    } catch (error) {
      leave();
      throw error;
    }
  }

  #isSilent(used: StreamsClient | undefined): void {
    if (used !== undefined) void this.#core.handleError(used, new UnavailableError());
  }

  read(request: ReadReq, signal: AbortSignal, silenceMs = this.#timeoutMs): ReadCall {
    return this.#read(request, { silenceMs, signal });
  }

  /** As `read`, but ends when the connection moves: a deposed leader may miss events. */
  follow(request: ReadReq, signal: AbortSignal): ReadCall {
    const call: ReadCall = this.#read(
      request,
      { silenceMs: this.#timeoutMs, signal, onEnd: () => this.#following.delete(call) },
      () => this.#following.add(call),
    );
    return call;
  }

  #read(
    request: ReadReq,
    options: Pick<ReadCallOptions, 'silenceMs' | 'signal' | 'onEnd'>,
    opened: () => void = () => undefined,
  ): ReadCall {
    this.#isUsed = true;
    let used: StreamsClient | undefined;
    const slot = this.#slots.enter();
    const open = this.#core.GRPCStreamCreator(StreamsClient, 'read', (client) => {
      used = client;
      this.#used = client;
      opened();
      const [metadata, callOptions] = this.#core.callArguments(
        { requiresLeader: true },
        { deadline: Infinity },
      );
      const stream = client.read(request, metadata, callOptions);
      stream.on('error', () => undefined); // The next read reports it.
      return stream;
    });
    const onSilence = (): void => this.#isSilent(used);
    const isRedirect = (error: unknown): Promise<boolean> => this.#isRedirect(used, error);
    const onEnd = (): void => {
      void slot.then((leave) => leave());
      options.onEnd?.();
    };
    return new ReadCall(() => slot.then(open), { ...options, onSilence, isRedirect, onEnd });
  }

  async #isRedirect(used: StreamsClient | undefined, error: unknown): Promise<boolean> {
    if (isLeaderless(error)) return this.#leaders.follow(this.#core, true);
    if (used === undefined || !(isNotLeader(error) || isUnsent(error))) return false;
    await this.#core.handleError(used, error);
    return true;
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    await within(this.#client.dispose(), this.#timeoutMs).catch(() => undefined);
    if (!this.#isUsed) return;
    const channel = await within(this.#core.getChannel(), this.#timeoutMs).catch(() => undefined);
    channel?.close();
  }

  async #unary<R>(timeoutMs: number, start: Start<R>): Promise<R> {
    this.#isUsed = true;
    const call = this.#inTurn(start, performance.now() + timeoutMs);
    try {
      // Discovery has no deadline; this one follows the call's.
      return await within(call, timeoutMs + 250, notInTime);
    } catch (error) {
      throw failureOf(error);
    }
  }

  async #inTurn<R>(start: Start<R>, deadline: number): Promise<R> {
    const leave = await this.#slots.enter();
    try {
      if (performance.now() >= deadline) throw notInTime(this.#timeoutMs);
      return await this.#atLeader(start, deadline);
    } finally {
      leave();
    }
  }

  async #atLeader<R>(start: Start<R>, deadline: number): Promise<R> {
    for (let left = maxRedirects; ; left--) {
      const call: { used?: StreamsClient; failure?: ServiceError } = {};
      try {
        return await this.#once(start, Math.max(1, Math.ceil(deadline - performance.now())), call);
      } catch (error) {
        const failure = call.failure ?? error;
        if (isCommitTimeout(failure)) void this.seekLeader();
        const isOver = left === 0 || performance.now() >= deadline;
        if (isOver || !(await this.#isRedirect(call.used, failure))) throw failure;
        await redirectPause(left);
      }
    }
  }

  #once<R>(
    start: Start<R>,
    deadline: number,
    call: { used?: StreamsClient; failure?: ServiceError },
  ): Promise<R> {
    return this.#core.execute(
      StreamsClient,
      'call',
      (client) =>
        new Promise<R>((resolve, reject) => {
          call.used = client;
          const [metadata, options] = this.#core.callArguments({ requiresLeader: true, deadline });
          start(client, metadata, options, (error, response) => {
            if (error === null) return resolve(response);
            call.failure = error;
            reject(isDeadline(error) ? new UnavailableError(error) : error);
          });
        }),
    );
  }
}

/** A deadline is reported to the client as "unavailable", on which it reconnects. */
const isDeadline = (error: ServiceError): boolean => error.code === status.DEADLINE_EXCEEDED;
