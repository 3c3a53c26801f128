/** Stream names are given without the installation's prefix: an adapter adds and removes it. A stream's first event has revision 0. */

/** The stream's last revision as a writer knows it, or none. Never "any" (design: "Streams and events"). */
export type ExpectedRevision = 'no-stream' | number;

/** A position in the whole log. Strictly increasing; only the order means anything. */
export type Position = bigint;

export interface EventToAppend {
  /** A UUID. The same id at the same revision of the same stream is a repeat. */
  readonly id: string;
  readonly type: string;
  readonly contentType: 'json' | 'binary';
  readonly data: Uint8Array;
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
      readonly revision: number;
      readonly position: Position;
      /** Whether the log held the events before; absent where it cannot know. */
      readonly repeated?: boolean;
    }
  | { readonly outcome: 'wrong-revision'; readonly actual: ExpectedRevision };

export interface EventAppender {
  /**
   * Appends all events or none; resolves when they are durable. A repeat (same ids and revision) returns the first result. `AppendTooLarge`
   * over `maxAppendBytes` in sum, `EventLogUnavailable` for an outage or an unknown outcome, `StreamDeleted` after a deletion.
   */
  append(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): Promise<AppendResult>;
}

export interface ReadOptions {
  /** Inclusive. Default: 0 forwards, the end backwards. */
  readonly from?: number;
  readonly limit?: number;
  readonly backwards?: boolean;
  /** The caller knows that the stream has the first event: a log that could hide it for a moment makes sure before it yields none. */
  readonly seen?: boolean;
}

export interface EventReader {
  /**
   * The stream's events in order, read from the leader; none for a missing or deleted stream. `LogCorrupt` where others have deleted its
   * first events. The reader owns the memory of what it yields.
   */
  readStream(stream: string, options?: ReadOptions): AsyncIterable<RecordedEvent>;
  readLast(stream: string): Promise<RecordedEvent | undefined>;
  /** The position of the log's last event, streams with these prefixes left out; undefined where there is none. */
  lastPosition(options?: Pick<SubscriptionOptions, 'withoutStreams'>): Promise<Position | undefined>;
}

export interface SubscriptionOptions {
  readonly after: Position | undefined;
  /** Prefixes of streams to leave out (`data-`, `payload-`). */
  readonly withoutStreams?: readonly string[];
  /** A regular expression for the beginnings of names. Other streams may be left out until the end is reached the first time. */
  readonly matching?: string | undefined;
  readonly signal: AbortSignal;
}

export type SubscriptionItem =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  /** Everything up to here was delivered or left out: a subscription can resume here. */
  | { readonly kind: 'caught-up'; readonly position: Position | undefined };

export interface EventSubscriber {
  /** Every event in order, then live, until the signal aborts. `caught-up` comes each time the end is reached. */
  subscribeToAll(options: SubscriptionOptions): AsyncIterable<SubscriptionItem>;
}

export interface StreamAdmin {
  /** Deletes a stream for good. A missing stream is no error; a name of no family is a `RangeError`. */
  deleteStream(stream: string): Promise<void>;
  /** Streams with this prefix, and the position of their first event. */
  listStreams(prefix: string): AsyncIterable<{ readonly stream: string; readonly position: Position }>;
}

/** A foreign change to a stream of the installation, in words without a value of its events. */
export interface StreamFinding {
  readonly stream: string;
  readonly problem: string;
  /**
   * `damage`: events are gone, hidden or foreign; the stream cannot be used. `limit`: a limit is set that has hidden nothing yet. `closed`:
   * this process may not read or write it. `notice`: something is set that hides nothing.
   */
  readonly kind: 'damage' | 'limit' | 'closed' | 'notice';
}

export interface DamageFinder {
  /** Foreign changes as they stand now; each call reads on from the last. Absent where nobody else can write to the log. */
  findDamage?(): AsyncIterable<StreamFinding>;
}

export interface ReadableEventLog extends EventReader, EventSubscriber, StreamAdmin, DamageFinder {
  close(): Promise<void>;
}

export interface EventLog extends EventAppender, ReadableEventLog {
  /** Bytes of data in one append: 1 MiB, as in EventStoreDB. */
  readonly maxAppendBytes: number;
  /** Tests a maximal append without writing. `AppendLimited` where the limit is lower, `EventLogUnavailable` where none is accepted. */
  probeAppend?(): Promise<void>;
}

/** The log is away, or the outcome of an append is unknown: an outage. */
export class EventLogUnavailable extends Error {
  override readonly name: string = 'EventLogUnavailable';
  /** An election or a restart, over within seconds: worth repeating the call for that long. */
  readonly isTransient: boolean;

  constructor(message?: string, options: ErrorOptions & { readonly isTransient?: boolean } = {}) {
    super(message, options);
    this.isTransient = options.isTransient ?? false;
  }
}

/** The log refuses this process until an operator repairs a user, a right or a setting; the text says which. */
export class LogRefused extends EventLogUnavailable {}

/** The log's configured append limit is too low. */
export class AppendLimited extends LogRefused {}

export type SeenEvent = Pick<RecordedEvent, 'stream' | 'revision'> &
  (Pick<RecordedEvent, 'id'> | { readonly chain: string });

/**
 * The log lacks an event that this process has seen, as after a restore: cached state is invalid. A deposed leader answers the same for the
 * newest events, so a process that keeps cached state asks again.
 */
export class LogWentBack extends EventLogUnavailable {
  override readonly name = 'LogWentBack';
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

/** A bug of the caller. */
export class AppendTooLarge extends Error {
  override readonly name = 'AppendTooLarge';
}

export class StreamDeleted extends Error {
  override readonly name = 'StreamDeleted';
}

/** The log does not hold what was written: a broken chain, a missing chunk, an unknown or misshapen event. */
export class LogCorrupt extends Error {
  override readonly name = 'LogCorrupt';
}

/** Undefined where the stream is damaged: it holds no other up. */
export async function unlessCorrupt<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof LogCorrupt) return undefined;
    throw error;
  }
}

export const MAX_APPEND_BYTES = 1_048_576;

/** Lower case only: the chain covers the text, and a store may keep the bytes. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A server's own types begin with `$`; such an event would never be delivered. */
const TYPE = /^(?!\$).{1,255}$/s;
const STREAM_NAME = /^[\x21-\x7e]{1,400}$/;

/** Misuse is a `RangeError`, data over the limit `AppendTooLarge`. `stream` has the installation's prefix. */
export function checkAppend(
  names: { readonly stream: string; readonly name: string },
  expected: ExpectedRevision,
  events: readonly EventToAppend[],
): void {
  checkStreamName(names);
  if (expected !== 'no-stream' && !(Number.isSafeInteger(expected) && expected >= 0)) {
    throw new RangeError('The expected revision is "no-stream" or an integer from 0');
  }
  checkEvents(events);
}

/** Before a write or deletion: a `RangeError` for a stream of no known family. */
export function checkStreamName(names: { readonly stream: string; readonly name: string }): void {
  if (names.name === '' || !STREAM_NAME.test(names.stream)) {
    throw new RangeError('A stream name is 1 to 400 printable ASCII characters');
  }
  // Subscriptions and lists would never find it.
  if (!isStreamName(names.name)) throw new RangeError(`No family of streams has the name ${names.name}`);
}

function checkEvents(events: readonly EventToAppend[]): void {
  if (events.length === 0) throw new RangeError('An append has at least one event');
  if (!events.every((event) => UUID.test(event.id)))
    throw new RangeError('The id of an event is a UUID in lower case');
  if (!events.every((event) => TYPE.test(event.type)))
    throw new RangeError('The type of an event is 1 to 255 characters and does not begin with $');
  const bytes = events.reduce((sum, event) => sum + event.data.byteLength, 0);
  if (bytes > MAX_APPEND_BYTES) {
    throw new AppendTooLarge(`An append of ${bytes} bytes is over the limit of ${MAX_APPEND_BYTES}`);
  }
}

const NUMBER = '[0-9]+';
const ID = '[0-9a-f-]+';

/** Patterns of every family of streams. Each begins with letters that no id has, so installations with any prefixes can share a log. */
export const STREAM_FAMILIES: readonly string[] = [
  `company-${NUMBER}`,
  `operation-${ID}`,
  `payload-${ID}`,
  `data-${ID}`,
  `survey-${NUMBER}`,
  'surveyids',
  `key-${ID}`,
  `invitation-${NUMBER}-${NUMBER}`,
  'api-users',
  `apitokens-${NUMBER}`,
  'installation',
  'anchors',
  `reads-${NUMBER}-${NUMBER}`,
  `refusals-${NUMBER}`,
  `webhooks-${NUMBER}`,
  `operator-${ID}`,
];

const KNOWN = new RegExp(`^(?:${STREAM_FAMILIES.join('|')})$`);

/** Whether a name without prefix is of a known family; all others are foreign. */
export const isStreamName = (name: string): boolean => KNOWN.test(name);

/** Streams that others have shortened, deleted or written to, with the reason. */
export async function damagedStreams(log: DamageFinder, begin: string): Promise<Map<string, string>> {
  const damaged = new Map<string, string>();
  for await (const { stream, problem, kind } of log.findDamage?.() ?? [])
    if (kind === 'damage' && stream.startsWith(begin)) damaged.set(stream, problem);
  return damaged;
}

export const damageOf = async (log: DamageFinder, stream: string): Promise<string | undefined> =>
  (await damagedStreams(log, stream)).get(stream);
