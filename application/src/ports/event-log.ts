/**
 * The event log's port. One stream is one consistency boundary; its first event has revision 0. Stream names are
 * given without the installation's prefix: an adapter adds and removes it.
 */

/** What a writer believes of a stream: its last revision, or that it has none. Never "any" (design: "Streams and events"). */
export type ExpectedRevision = 'no-stream' | number;

/** A place in the whole log. Strictly increasing; no meaning beyond its order. */
export type Position = bigint;

export interface EventToAppend {
  /** A UUID. The same id again at the same revision of the same stream is a repeat, not a second event. */
  readonly id: string;
  readonly type: string;
  readonly contentType: 'json' | 'binary';
  readonly data: Uint8Array;
  /** JSON text. */
  readonly metadata: Uint8Array;
}

export interface RecordedEvent extends EventToAppend {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
}

export type AppendResult =
  | {
      readonly outcome: 'appended';
      /** Of the last event. */
      readonly revision: number;
      readonly position: Position;
      /** Whether the events were in the log before; absent where the log cannot tell. */
      readonly repeated?: boolean;
    }
  | { readonly outcome: 'wrong-revision'; readonly actual: ExpectedRevision };

export interface EventAppender {
  /**
   * Appends all events or none; resolved only when they are durable. A repeat (same ids, same revision) answers with the
   * first result. `AppendTooLarge` where the data exceeds `maxAppendBytes` in sum; `EventLogUnavailable` where the
   * outcome is unknown or the log is away; `StreamDeleted` after a deletion.
   */
  append(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): Promise<AppendResult>;
}

export interface ReadOptions {
  /** Inclusive. Forwards: 0 by default. Backwards: the end by default. */
  readonly from?: number;
  readonly limit?: number;
  readonly backwards?: boolean;
}

export interface EventReader {
  /**
   * The stream's events in order; nothing for a stream that does not exist or was deleted. Read from the leader. `LogCorrupt`,
   * with the reason, where others have taken its first events away. The memory of what it yields is the reader's alone.
   */
  readStream(stream: string, options?: ReadOptions): AsyncIterable<RecordedEvent>;
  /** The last event of a stream, read from the leader; undefined where there is none. */
  readLast(stream: string): Promise<RecordedEvent | undefined>;
  /**
   * The position of the last event in the log, or of the last one of a stream whose name does not begin as one of
   * `withoutStreams`; undefined where there is none.
   */
  lastPosition(options?: Pick<SubscriptionOptions, 'withoutStreams'>): Promise<Position | undefined>;
}

export interface SubscriptionOptions {
  /** Exclusive: the position of the last event that was handled. */
  readonly after: Position | undefined;
  /** Events of streams whose names begin so are left out (`data-`, `payload-`). */
  readonly withoutStreams?: readonly string[];
  readonly signal: AbortSignal;
}

export type SubscriptionItem =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  /** Everything up to here was delivered or left out: a safe place to resume. */
  | { readonly kind: 'caught-up'; readonly position: Position | undefined };

export interface EventSubscriber {
  /** Every event of the log in order, then live, until the signal aborts. `caught-up` comes each time the end is reached. */
  subscribeToAll(options: SubscriptionOptions): AsyncIterable<SubscriptionItem>;
}

export interface StreamAdmin {
  /** Deletes a stream; its name may not be used again. A missing stream is no error, a name of no family is a `RangeError`. */
  deleteStream(stream: string): Promise<void>;
  /** Names of streams that begin so, with the position of their first event. */
  listStreams(prefix: string): AsyncIterable<{ readonly stream: string; readonly position: Position }>;
}

/** What somebody else has done to a stream of the installation, in words without a value of its events. */
export interface StreamFinding {
  readonly stream: string;
  readonly problem: string;
  /**
   * `damage`: events of the stream are gone, hidden or foreign, and it cannot be used. `limit`: a limit is set on it that has
   * hidden nothing yet. `notice`: something is set on it that hides nothing.
   */
  readonly kind: 'damage' | 'limit' | 'notice';
}

export interface DamageFinder {
  /**
   * What others have set on streams, deletions and foreign types that no part of the service writes, as it stands now. The
   * first call reads for it from the log's beginning, each further one goes on from there. Absent where nobody else can write
   * to the log.
   */
  findDamage?(): AsyncIterable<StreamFinding>;
}

/** The log for who never appends. */
export interface ReadableEventLog extends EventReader, EventSubscriber, StreamAdmin, DamageFinder {
  close(): Promise<void>;
}

export interface EventLog extends EventAppender, ReadableEventLog {
  /** The most that the data of one append may weigh: 1 MiB, as EventStoreDB has it. */
  readonly maxAppendBytes: number;
  /**
   * Asks whether `maxAppendBytes` are taken, and writes nothing: `AppendLimited` where they are not. Absent where nobody can
   * set that.
   */
  probeAppend?(): Promise<void>;
}

/** The log is away, or the outcome of an append is unknown: an outage, never a decision. */
export class EventLogUnavailable extends Error {
  override readonly name: string = 'EventLogUnavailable';
  /** The log itself has answered that it does not know the outcome: it is there, and slow. */
  readonly isAnswer: boolean;

  constructor(message?: string, options: ErrorOptions & { readonly isAnswer?: boolean } = {}) {
    super(message, options);
    this.isAnswer = options.isAnswer ?? false;
  }
}

/** The log takes less in one append than it has to, as its operator has set it: an outage, and the text says how to mend it. */
export class AppendLimited extends EventLogUnavailable {}

/** An event that this process has seen, as it is known again. */
export type SeenEvent = Pick<RecordedEvent, 'stream' | 'revision'> &
  (Pick<RecordedEvent, 'id'> | { readonly chain: string });

/**
 * The log lacks what this process has seen of it, as after the restore of an older copy: whatever is in memory is not to be
 * trusted. A server that does not know yet that it leads no more says the same of the newest events, so whoever keeps that in
 * mind asks again.
 */
export class LogWentBack extends EventLogUnavailable {
  override readonly name = 'LogWentBack';
  /** What is missing, where that is one event. */
  readonly missing: SeenEvent | undefined;

  constructor(message?: string, { missing }: { readonly missing?: SeenEvent | undefined } = {}) {
    super(message);
    this.missing = missing;
  }

  static of(what: string, missing?: SeenEvent): LogWentBack {
    return new LogWentBack(
      `the event log does not hold ${what} that this process has seen, as after the restore of an older copy: restart this process`,
      { missing },
    );
  }
}

/** More than `maxAppendBytes` in one append: a bug of the caller. */
export class AppendTooLarge extends Error {
  override readonly name = 'AppendTooLarge';
}

export class StreamDeleted extends Error {
  override readonly name = 'StreamDeleted';
}

/** What stands in the log is not what was written: a broken chain, a missing chunk, an unknown or misshapen event. */
export class LogCorrupt extends Error {
  override readonly name = 'LogCorrupt';
}
