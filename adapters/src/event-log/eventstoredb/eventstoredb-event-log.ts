import { setMaxListeners } from 'node:events';
import {
  checkAppend,
  damageOf,
  isSwept,
  checkStreamName,
  MAX_APPEND_BYTES,
  EventLogUnavailable,
  LogCorrupt,
  StreamDeleted,
  type AppendResult,
  type EventLog,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  type ReadOptions,
  type RecordedEvent,
  type StreamFinding,
  type SubscriptionItem,
  type SubscriptionOptions,
} from '@rollcall/application';

import { Appends } from './appends.js';
import { clientFor, ConnectionStringInvalid } from './connection-string.js';
import { Connections } from './connections.js';
import { notFound } from './discovery.js';
import { during, isUnreadable, named, namedAll } from './failures.js';
import { Leaders } from './leaders.js';
import { Polls } from './polls.js';
import { isSystem, ownStreams, type OwnStreams } from './own-streams.js';
import { recordedEvent } from './recorded-event.js';
import { emptyEvent, largestEvent, streamRequest, tombstoneRequest, lastEventRequest } from './requests.js';
import { StreamList, type ListedStream } from './stream-list.js';
import { StreamDamage } from './stream-damage.js';
import { subscribe } from './subscription.js';
import { ConsistencyProbe } from './consistency-probe.js';
import { Wire } from './wire.js';

export interface EventStoreDbOptions {
  /** `esdb://user:password@host:2113?tls=true` and the like. */
  readonly connectionString: string;
  /** Prefixes every stream name, so that installations can share a server. */
  readonly streamPrefix?: string;
  /** How long a call may take, and a read may be silent. */
  readonly timeoutMs?: number;
  /** Interval for asking who leads, and the silence after which a live subscription asks for the log's end. */
  readonly silenceMs?: number;
}

const TIMEOUT_MS = 5_000;
const SILENCE_MS = 3_000;

/** EventStoreDB 23.10 or newer (docs/event-log.md). Connects later. `ConnectionStringInvalid`, `RangeError` (prefix). */
export function openEventStoreDbEventLog(options: EventStoreDbOptions): Promise<EventLog> {
  const { connectionString, streamPrefix = '', timeoutMs = TIMEOUT_MS, silenceMs = SILENCE_MS } = options;
  if (isSystem(streamPrefix)) throw new RangeError('A stream prefix does not begin with $');
  const rejects = async (error: unknown): Promise<never> => {
    throw await notFound(connectionString, error);
  };
  const leaders = new Leaders(connectionString, timeoutMs);
  const wireOptions = { leaders, timeoutMs, silenceMs, notFound: rejects };
  const connections = new Connections(
    (nth, { onMoved }) => new Wire(clientFor(connectionString, nth), { ...wireOptions, onMoved }),
    leaders,
  );
  return Promise.resolve(new EventStoreDbEventLog(connections, streamPrefix, { timeoutMs, silenceMs }));
}

export { ConnectionStringInvalid };

type Times = Required<Pick<EventStoreDbOptions, 'timeoutMs' | 'silenceMs'>>;

/** Subscriptions share a connection, of 100 calls, with the reads of the log's end. */
const maxSubscriptions = 80;

const tooManySubscriptions = (): EventLogUnavailable =>
  new EventLogUnavailable(
    `${maxSubscriptions} subscriptions are open on this event log; there is no room for more`,
  );

class EventStoreDbEventLog implements EventLog {
  readonly maxAppendBytes = MAX_APPEND_BYTES;
  readonly #connections: Connections;
  readonly #follows: Wire;
  readonly #own: OwnStreams;
  readonly #damage: StreamDamage;
  readonly #silenceMs: number;
  readonly #polls: Polls;
  readonly #probe: ConsistencyProbe;
  #hasRead = false;
  #subscriptions = 0;
  readonly #appends: Appends;
  readonly #lists = new Map<string, StreamList>();
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  constructor(connections: Connections, prefix: string, { timeoutMs, silenceMs }: Times) {
    this.#connections = connections;
    this.#follows = connections.follows;
    this.#appends = new Appends({
      connections,
      timeoutMs,
      positionOf: (name, revision) => this.#positionOf(name, revision),
    });
    this.#own = ownStreams(prefix);
    const tryAppend = (name: string): Promise<AppendResult> => this.#tryAppend(name, emptyEvent());
    this.#damage = new StreamDamage(connections, this.#own, { tryAppend, signal: this.#closing.signal });
    this.#silenceMs = silenceMs;
    this.#polls = new Polls(this.#follows, this.#own, {
      timeoutMs,
      signal: this.#closing.signal,
      onShrunk: () => {
        this.#lists.clear();
        this.#damage.forget();
      },
    });
    this.#probe = new ConsistencyProbe({
      connection: () => this.#connection(),
      read: (name, from) => this.#readAt(name, from),
      isDamaged: async (name) => (await damageOf(this, name)) !== undefined,
    });
    setMaxListeners(0, this.#closing.signal);
  }

  async append(
    name: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    this.#ensureOpen();
    const stream = this.#own.prefix + name;
    checkAppend({ stream, name }, expected, events);
    try {
      if (!isSwept(name)) await this.#probe.verify();
      const over = this.#connection();
      const result = await this.#appends.append({ stream, name, expected, events });
      this.#saw(name, result, { events, over });
      return result;
    } catch (error) {
      if (error instanceof StreamDeleted) this.#damage.checkDeleted(name);
      throw error;
    }
  }

  #connection(): number {
    return Math.max(1, this.#connections.calls.breaks);
  }

  #saw(
    stream: string,
    result: AppendResult,
    { events, over }: { readonly events: readonly EventToAppend[]; readonly over: number },
  ): void {
    const last = events.at(-1);
    if (last === undefined || result.outcome !== 'appended' || isSwept(stream)) return;
    const { revision, position } = result;
    this.#probe.saw({ stream, revision, position, id: last.id }, over);
  }

  async #positionOf(name: string, revision: number): Promise<Position> {
    for await (const event of this.readStream(name, { from: revision, limit: 1 })) return event.position;
    throw new EventLogUnavailable('An event that was just appended cannot be read');
  }

  async probeAppend(): Promise<void> {
    await this.#tryAppend('installation', largestEvent());
  }

  #tryAppend(name: string, event: EventToAppend): Promise<AppendResult> {
    const stream = this.#own.prefix + name;
    return this.#appends.append({ stream, name, expected: Number.MAX_SAFE_INTEGER, events: [event] });
  }

  async *readStream(name: string, options: ReadOptions = {}): AsyncGenerator<RecordedEvent> {
    this.#ensureOpen();
    if (options.limit !== undefined && options.limit <= 0) return;
    try {
      yield* this.#readWhole(name, options);
    } catch (error) {
      if (!(error instanceof StreamDeleted)) throw await this.#readFailure(name, error);
      this.#damage.checkDeleted(name);
    }
    this.#ensureOpen();
  }

  /** A stream is damaged if it alone is unreadable: no retry helps. */
  async #readFailure(name: string, error: unknown): Promise<unknown> {
    if (!isUnreadable(error)) return during(`read of ${name}`, error);
    const call = this.#connections.calls.read(lastEventRequest(), this.#closing.signal);
    while ((await call.next()) !== undefined);
    return new LogCorrupt(`EventStoreDB cannot read a record of the stream ${name}: it is damaged`);
  }

  #connectionFor(limit: number | undefined): Wire {
    const isFirst = !this.#hasRead && this.#probe.knowsNothing;
    this.#hasRead = true;
    return limit === 1 || isFirst ? this.#connections.calls : this.#connections.lasting();
  }

  async *#readWhole(name: string, options: ReadOptions): AsyncGenerator<RecordedEvent> {
    const { from, limit, backwards = false } = options;
    const { signal } = this.#closing;
    const request = streamRequest(this.#own.prefix + name, { from, limit, backwards });
    const wire = this.#connectionFor(limit);
    const over = wire === this.#connections.calls ? this.#connection() : undefined;
    let isEmpty = true;
    for await (const stored of wire.read(request, signal).events(limit)) {
      const event = recordedEvent(stored, name);
      if (isEmpty) await this.#damage.checkFirst(event, options);
      isEmpty = false;
      if (!isSwept(name)) this.#probe.saw(event, over);
      yield event;
    }
    if (isEmpty) await this.#damage.checkEmpty(name, options);
  }

  findDamage(): AsyncIterable<StreamFinding> {
    this.#ensureOpen();
    return namedAll('search for damaged streams in $all', this.#damage.find());
  }

  async #readAt(name: string, from: number): Promise<RecordedEvent | undefined> {
    try {
      for await (const event of this.readStream(name, { from, limit: 1 })) return event;
      return undefined;
    } catch (error) {
      if (error instanceof LogCorrupt) return undefined;
      throw error;
    }
  }

  async readLast(name: string): Promise<RecordedEvent | undefined> {
    for await (const event of this.readStream(name, { backwards: true, limit: 1 })) return event;
    return undefined;
  }

  async lastPosition({ withoutStreams = [] }: Pick<SubscriptionOptions, 'withoutStreams'> = {}): Promise<
    Position | undefined
  > {
    this.#ensureOpen();
    const { last } = this.#polls.without(withoutStreams);
    const position = await named('end of the log in $all', () => last.read());
    this.#ensureOpen();
    return position;
  }

  async *subscribeToAll(options: SubscriptionOptions): AsyncGenerator<SubscriptionItem> {
    this.#ensureOpen();
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    const { last } = this.#polls.without([]);
    const { gaps, last: lastWanted } = this.#polls.without(options.withoutStreams ?? []);
    const deps = { wire: this.#follows, own: this.#own, silenceMs: this.#silenceMs, last, lastWanted, gaps };
    if (this.#subscriptions >= maxSubscriptions) throw tooManySubscriptions();
    this.#subscriptions += 1;
    try {
      yield* namedAll('subscription to $all', subscribe(deps, { ...options, signal }));
    } finally {
      this.#subscriptions -= 1;
    }
  }

  async deleteStream(name: string): Promise<void> {
    this.#ensureOpen();
    const stream = this.#own.prefix + name;
    checkStreamName({ stream, name });
    try {
      await this.#connections.calls.tombstone(tombstoneRequest(stream));
    } catch (error) {
      if (!(error instanceof StreamDeleted)) throw during(`deletion of ${name}`, error);
    }
  }

  async *listStreams(begin: string): AsyncGenerator<ListedStream> {
    this.#ensureOpen();
    const list = this.#lists.get(begin) ?? new StreamList(this.#follows, this.#own, begin);
    this.#lists.set(begin, list);
    const listed = await named(`list of the streams ${begin}... in $all`, () =>
      list.read(this.#closing.signal),
    );
    yield* listed;
    this.#ensureOpen();
  }

  close(): Promise<void> {
    this.#closing.abort();
    return (this.#closed ??= this.#connections.close());
  }

  #ensureOpen(): void {
    if (this.#closing.signal.aborted) throw new EventLogUnavailable('The event log is closed');
  }
}
