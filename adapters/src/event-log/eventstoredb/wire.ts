import { finished } from 'node:stream';
import { UnavailableError, type EventStoreDBClient } from '@eventstore/db-client';
import streamServices from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type {
  AppendReq,
  AppendResp,
  ReadReq,
  TombstoneReq,
} from '@eventstore/db-client/generated/streams_pb.js';
import { status, type CallOptions, type Metadata, type ServiceError } from '@grpc/grpc-js';
import { within } from '@rollcall/application';
import { coreOf, isClosed, nodeOf, type ClientCore, type StreamsClient } from './client-core.js';
import { ConnectionBreaks } from './connection-breaks.js';
import { failureOf, isCommitTimeout, isLeaderless, isNotLeader, isUnsent, notInTime } from './failures.js';
import type { Leaders } from './leaders.js';
import type { OpenBatch } from './batched-appends.js';
import { MOST_REDIRECTS, ReadCall, redirectPause, type ReadCallOptions } from './read-call.js';
import { Slots } from './slots.js';

const { StreamsClient } = streamServices;

type Done<R> = (error: ServiceError | null, response: R) => void;

type Start<R> = (client: StreamsClient, metadata: Metadata, options: CallOptions, done: Done<R>) => void;

export interface WireOptions {
  readonly leaders: Leaders;
  readonly timeoutMs: number;
  /** So often the nodes are asked who leads, from the first call on, in milliseconds. */
  readonly silenceMs: number;
  /** Told where the connection leads to (`host:port`), each time that it has moved. */
  readonly onMoved?: (node: string) => void;
  /** Rejects with the reason why no node was found. */
  readonly notFound: (error: unknown) => Promise<never>;
}

/** A server takes 100 on a connection; some room is left for what it counts longer than we do. */
const MOST_CALLS = 90;

/** A connection that was just sent on by a server knows better than another one where to go. */
const OWN_WAY_MS = 1_000;

/** Calls to the server through the client's connection, each with a deadline; every one of them goes to the leader. */
export class Wire {
  readonly #client: EventStoreDBClient;
  readonly #core: ClientCore;
  readonly #leaders: Leaders;
  readonly #timeoutMs: number;
  readonly #slots = new Slots(MOST_CALLS);
  /** Reads that follow the log: they end when the connection moves. */
  readonly #following = new Set<ReadCall>();
  readonly #breaks = new ConnectionBreaks();
  #used: StreamsClient | undefined;
  /** Where the next channel leads, where another connection has said so. */
  #told: string | undefined;
  #movedAt = -Infinity;
  #isUsed = false;
  #moving: Promise<void> = Promise.resolve();
  #seeking: Promise<unknown> | undefined;
  readonly #watch: NodeJS.Timeout;
  #moves = -1;

  constructor(client: EventStoreDBClient, options: WireOptions) {
    const { leaders, timeoutMs, silenceMs, onMoved, notFound } = options;
    this.#client = client;
    this.#core = coreOf(client);
    this.#leaders = leaders;
    this.#timeoutMs = timeoutMs;
    // A node that was cut off from its peers answers as before, what it has not heard of included.
    this.#watch = setInterval(() => void (this.#isUsed && this.seekLeader()), silenceMs).unref();
    const { handleError, createChannel, resolveUri } = this.#core;
    // One node of the cluster is asked by the client, or one's own word taken: it may be cut off from the others.
    this.#core.resolveUri = async () => this.#told ?? leaders.leaderFor(await resolveUri().catch(notFound));
    // The client does not wait for this one: a discovery that fails meanwhile would end the process. One after the other,
    // so that whoever comes second finds the connection moved already.
    this.#core.handleError = (failed, error) =>
      (this.#moving = this.#moving.then(() => handleError(failed, error)).catch(() => undefined));
    this.#core.createChannel = async () => {
      const channel = await createChannel();
      this.#breaks.opened(channel);
      this.#moves += 1;
      for (const call of this.#following) call.leave();
      this.#following.clear();
      // Who goes after another connection leads none itself.
      if (this.#moves > 0 && this.#told === undefined) {
        this.#movedAt = performance.now();
        onMoved?.(nodeOf(channel));
      }
      this.#told = undefined;
      return channel;
    };
  }

  /** How often the connection was another one, to the same node too. */
  get breaks(): number {
    return this.#breaks.count;
  }

  /** How often the connection has moved: what was learned before and after a move may be of different nodes. */
  get moves(): number {
    return Math.max(0, this.#moves);
  }

  /** Whether a call that begins now begins at once. */
  get hasRoom(): boolean {
    return this.#slots.hasFree;
  }

  /** Goes where another connection of the same log went: what is read there belongs to what was written there. */
  moveTo(node: string): void {
    const used = this.#used;
    if (performance.now() - this.#movedAt < OWN_WAY_MS) return;
    if (used !== undefined && nodeOf(used.getChannel()) === node) return;
    this.#told = node;
    if (used === undefined) return;
    // What follows the log leaves with the new channel, and nobody else may ask for one.
    void this.#core
      .handleError(used, new UnavailableError())
      .then(() => this.#core.getChannel())
      .catch(() => undefined);
  }

  /** Moves the connection where most nodes of the cluster name another leader than the node at its other end. */
  seekLeader(): Promise<unknown> {
    this.#seeking ??= this.#leaders.follow(this.#core).finally(() => {
      this.#seeking = undefined;
    });
    return this.#seeking;
  }

  append(requests: readonly AppendReq[], timeoutMs: number): Promise<AppendResp> {
    return this.#unary(timeoutMs, (client, metadata, options, done: Done<AppendResp>) => {
      const call = client.append(metadata, options, done);
      // The answer may come before everything is sent; then the rest has nowhere to go.
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

  /** A call for many appends, which it keeps in order; it ends when it is ended, or in an error. */
  async batchAppend(): Promise<OpenBatch> {
    this.#isUsed = true;
    await this.#slots.take();
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
      finished(call, () => this.#slots.give());
      return { call, isCurrent: () => !isClosed(used), onSilence: () => this.#isSilent(used) };
    } catch (error) {
      this.#slots.give();
      throw error;
    }
  }

  /** The client opens another connection when the server is "unavailable". */
  #isSilent(used: StreamsClient | undefined): void {
    if (used !== undefined) void this.#core.handleError(used, new UnavailableError());
  }

  /** `silenceMs`: how long the server may be silent, where that is not the usual timeout. */
  read(request: ReadReq, signal: AbortSignal, silenceMs = this.#timeoutMs): ReadCall {
    return this.#read(request, { silenceMs, signal });
  }

  /** As `read`, but it leaves when the connection moves: a node that leads no more may not hear of what comes. */
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
    const slot = this.#slots.take();
    const open = this.#core.GRPCStreamCreator(StreamsClient, 'read', (client) => {
      used = client;
      this.#used = client;
      opened();
      const [metadata, callOptions] = this.#core.callArguments(
        { requiresLeader: true },
        { deadline: Infinity },
      );
      const stream = client.read(request, metadata, callOptions);
      stream.on('error', () => undefined); // Whoever takes the messages meets it.
      return stream;
    });
    const onSilence = (): void => this.#isSilent(used);
    const isRedirect = (error: unknown): Promise<boolean> => this.#isRedirect(used, error);
    const onEnd = (): void => {
      void slot.then(() => this.#slots.give());
      options.onEnd?.();
    };
    return new ReadCall(() => slot.then(open), { ...options, onSilence, isRedirect, onEnd });
  }

  /** A node that does not lead has done nothing: once the connection has moved to the leader that it names, again. */
  async #isRedirect(used: StreamsClient | undefined, error: unknown): Promise<boolean> {
    if (isLeaderless(error)) return this.#leaders.follow(this.#core, true);
    if (used === undefined || !(isNotLeader(error) || isUnsent(error))) return false;
    await this.#core.handleError(used, error);
    return true;
  }

  /** Ends what is running. */
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
      // Discovery has no deadline of its own, so this one is a little later than the call's.
      return await within(call, timeoutMs + 250, notInTime);
    } catch (error) {
      throw failureOf(error);
    }
  }

  async #inTurn<R>(start: Start<R>, deadline: number): Promise<R> {
    await this.#slots.take();
    try {
      // Its caller is gone; what nobody waits for is not begun.
      if (performance.now() >= deadline) throw notInTime(this.#timeoutMs);
      return await this.#atLeader(start, deadline);
    } finally {
      this.#slots.give();
    }
  }

  async #atLeader<R>(start: Start<R>, deadline: number): Promise<R> {
    for (let left = MOST_REDIRECTS; ; left--) {
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

/** A server that does not answer may be reached over a new connection: the client opens one when it is "unavailable". */
const isDeadline = (error: ServiceError): boolean => error.code === status.DEADLINE_EXCEEDED;
