import type { AppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import {
  EventLogUnavailable,
  LogCorrupt,
  StreamDeleted,
  type AppendResult,
  type EventToAppend,
  type Position,
} from '@rollcall/application';
import { BatchedAppends } from './batched-appends.js';
import type { Connections } from './connections.js';
import { during, isCommitTimeout, notInTime } from './failures.js';
import { revisionOf } from './recorded-event.js';
import { appendRequests, type StreamAppend } from './requests.js';

interface AppendsOptions {
  readonly connections: Connections;
  readonly timeoutMs: number;
  readonly positionOf: (name: string, revision: number) => Promise<Position>;
}

const idleCallMs = 1_000;

/** Chunks after the first: large, and their writer does not wait for each. */
const areChunks = ({ expected, events }: StreamAppend): boolean =>
  expected !== 'no-stream' && events.every(isBinary);

const isBinary = ({ contentType }: EventToAppend): boolean => contentType === 'binary';

/** Serialises appends per stream: calls on a connection overtake each other, and a caller may append without waiting. */
class AppendTurns {
  readonly #last = new Map<string, Promise<void>>();

  async take<T>(stream: string, append: () => Promise<T>): Promise<T> {
    const before = this.#last.get(stream) ?? Promise.resolve();
    const own = before.then(append);
    const done = own.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(stream, done);
    try {
      return await own;
    } finally {
      if (this.#last.get(stream) === done) this.#last.delete(stream);
    }
  }
}

/** One call for events of all streams, one per stream of chunks. An unexpected answer leads to a single call. */
export class Appends {
  readonly #connections: Connections;
  readonly #timeoutMs: number;
  readonly #positionOf: AppendsOptions['positionOf'];
  readonly #turns = new AppendTurns();
  readonly #events: BatchedAppends;
  readonly #chunks: BatchedAppends;

  constructor({ connections, timeoutMs, positionOf }: AppendsOptions) {
    this.#connections = connections;
    this.#timeoutMs = timeoutMs;
    this.#positionOf = positionOf;
    this.#events = new BatchedAppends({
      open: () => connections.calls.batchAppend(),
      keyOf: () => '',
      lingerMs: idleCallMs,
    });
    this.#chunks = new BatchedAppends({
      open: () => connections.lasting().batchAppend(),
      keyOf: ({ stream }) => stream,
      lingerMs: 0,
    });
  }

  async append(append: StreamAppend): Promise<AppendResult> {
    const { name, expected, events } = append;
    const deadline = performance.now() + this.#timeoutMs;
    const result = areChunks(append)
      ? ((await this.#batched(this.#chunks, append, deadline)) ??
        (await this.#turns.take(name, () => this.#alone(append, deadline))))
      : await this.#turns.take(
          name,
          async () =>
            (await this.#batched(this.#events, append, deadline)) ?? (await this.#alone(append, deadline)),
        );
    const wanted = (expected === 'no-stream' ? -1 : expected) + events.length;
    if (result.outcome === 'appended' && result.revision !== wanted)
      throw new LogCorrupt(
        `the stream ${name} has a past: what begins it stands at revision ${result.revision}`,
      );
    return result;
  }

  async #batched(
    calls: BatchedAppends,
    append: StreamAppend,
    deadline: number,
  ): Promise<AppendResult | undefined> {
    try {
      return await calls.append(append, () => this.#timeLeft(deadline));
    } catch (error) {
      if (isCommitTimeout(error)) void this.#connections.calls.seekLeader();
      throw error;
    }
  }

  async #alone(append: StreamAppend, deadline: number): Promise<AppendResult> {
    const { name } = append;
    const requests = appendRequests(append);
    try {
      const answer = await this.#connections.calls.append(requests, this.#timeLeft(deadline));
      return await this.#resultOf(name, answer);
    } catch (error) {
      if (error instanceof StreamDeleted) throw new StreamDeleted(`The stream ${name} was deleted`);
      throw during(`append to ${name}`, error);
    }
  }

  #timeLeft(deadline: number): number {
    const left = Math.ceil(deadline - performance.now());
    if (left <= 0) throw notInTime(this.#timeoutMs);
    return left;
  }

  async #resultOf(name: string, answer: AppendResp): Promise<AppendResult> {
    const wrong = answer.getWrongExpectedVersion();
    if (wrong?.hasCurrentRevision() === true) {
      return { outcome: 'wrong-revision', actual: revisionOf(wrong.getCurrentRevision(), name) };
    }
    if (wrong !== undefined) return { outcome: 'wrong-revision', actual: 'no-stream' };
    const success = answer.getSuccess();
    if (success === undefined)
      throw new EventLogUnavailable('EventStoreDB gave an append an answer that is none');
    const revision = revisionOf(success.getCurrentRevision(), name);
    const position = success.getPosition()?.getCommitPosition();
    return {
      outcome: 'appended',
      revision,
      position: position === undefined ? await this.#positionOf(name, revision) : BigInt(position),
    };
  }
}
