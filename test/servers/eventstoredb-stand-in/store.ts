import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { allowsDeletion, decide, type Expected } from './decisions.js';
import { KnownIds } from './known-ids.js';
import { LogFile, type Contents, type EventToStore, type StoredEvent } from './log-file.js';
import { placed } from './neighbours.js';
import { event, now } from './own-events.js';
import { EventOrder } from './order.js';
import {
  isMetastream,
  limitsOf,
  newLine,
  ownerOf,
  scavengeable,
  SOFTLY_DELETED,
  softlyDeleted,
  type StreamLine,
} from './streams.js';
import { Turns } from './turns.js';

const MAX_APPEND_SIZE = 1_048_576;

/** The revision of the event that a tombstone leaves in `$all`. */
const TOMBSTONE_REVISION = '9223372036854775807';

export type ProposedEvent = Pick<EventToStore, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;

export type AppendOutcome =
  | { readonly kind: 'done'; readonly revision: number; readonly position: number }
  | { readonly kind: 'wrong'; readonly actual: number }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'too-big'; readonly most: number }
  /** Not indexed in time; it may be there all the same. */
  | { readonly kind: 'commit-timeout' };

/** Beside it a repeat of what is not indexed yet: nobody answers it. */
type Decided = AppendOutcome | { readonly kind: 'dropped' };

export type DeleteOutcome =
  | { readonly kind: 'done'; readonly position: number }
  | { readonly kind: 'wrong'; readonly actual: number }
  | { readonly kind: 'deleted' };

type Listener = (events: readonly StoredEvent[]) => void;

export interface StoreOptions {
  /**
   * Waited for between the writing of events and their indexing, which is when readers see them and writers are answered.
   * Here the other nodes of a cluster come in.
   */
  readonly beforeIndexing?: (events: readonly StoredEvent[]) => Promise<void>;
  /** So long a writer waits for the indexing. */
  readonly commitTimeoutMs?: number;
}

const COMMIT_TIMEOUT_MS = 2_000;

/**
 * The database of one node: streams, the order of all, and its file. Writes that come while others are synced are decided one
 * after the other, written and synced together, and after that indexed, answered and published.
 */
export class Store {
  /** Every event that is indexed. */
  readonly order = new EventOrder();
  /** MaxAppendSize of the server's configuration. */
  maxAppendSize = MAX_APPEND_SIZE;
  readonly #options: StoreOptions;
  readonly #file: LogFile;
  /** Also of what is not indexed yet: writers are decided on it. */
  readonly #streams = new Map<string, StreamLine>();
  readonly #known = new KnownIds();
  readonly #listeners = new Set<Listener>();
  readonly #turns = new Turns((answer) => this.#endTurn(answer));
  readonly #fresh: StoredEvent[] = [];
  #indexing: Promise<unknown> = Promise.resolve();

  constructor(folder: string, options: StoreOptions = {}) {
    const { log, ...contents } = LogFile.open(folder);
    this.#options = options;
    this.#file = log;
    const events = contents.events.map(placed);
    for (const event of events) this.#take(event);
    this.order.push(events);
    this.#forget(contents);
    if (contents.events.length === 0) this.#begin();
  }

  /** The first event of every database. */
  #begin(): void {
    const stream = '$$$scavenges';
    const data = Buffer.from('{"$maxCount":1}');
    const events = [{ ...event('$metadata', data), stream, revision: '0' }];
    for (const stored of this.#file.add(events)) this.#publish(stored);
    this.order.push(this.#fresh.splice(0));
    this.#file.sync();
  }

  /** What readers see of a stream: its events that are indexed. */
  line(stream: string): StreamLine | undefined {
    const line = this.#streams.get(stream);
    if (line === undefined || this.#isIndexed(line.events.at(-1))) return line;
    const end = line.events.findIndex((event) => !this.#isIndexed(event));
    return { ...line, events: line.events.slice(0, end) };
  }

  #isIndexed(event: StoredEvent | undefined): boolean {
    return event === undefined || event.position <= this.lastPosition;
  }

  /** Also of a metastream whose stream was deleted. */
  isTombstoned(stream: string): boolean {
    return this.#streams.get(ownerOf(stream))?.tombstone !== undefined;
  }

  body(stored: StoredEvent): { readonly data: Uint8Array; readonly metadata: Uint8Array } {
    return this.#file.body(stored);
  }

  get lastPosition(): number {
    return this.order.lastPosition;
  }

  /** Told of events once they are durable. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async append(
    stream: string,
    expected: Expected,
    proposed: readonly ProposedEvent[],
  ): Promise<AppendOutcome> {
    const decided = this.#turns.take(() => this.#append(stream, expected, proposed));
    if (this.#options.beforeIndexing === undefined) return decided as Promise<AppendOutcome>;
    const answered = decided.then((outcome) =>
      outcome.kind === 'dropped' ? new Promise<never>(() => undefined) : outcome,
    );
    const { commitTimeoutMs = COMMIT_TIMEOUT_MS } = this.#options;
    return Promise.race([answered, wait(commitTimeoutMs, { kind: 'commit-timeout' } as const)]);
  }

  tombstone(stream: string, expected: Expected): Promise<DeleteOutcome> {
    return this.#turns.take(() => this.#delete(stream, expected, 'hard'));
  }

  softDelete(stream: string, expected: Expected): Promise<DeleteOutcome> {
    return this.#turns.take(() => this.#delete(stream, expected, 'soft'));
  }

  /** Takes over what the leader's store has more; its own listeners are told. */
  catchUpWith(leader: Store): void {
    const contents = this.#file.copyFrom(leader.#file);
    for (const event of contents.events) this.#publish(event);
    const fresh = this.#fresh.splice(0);
    this.order.push(fresh);
    this.#forget(contents);
    if (fresh.length > 0) for (const listener of [...this.#listeners]) listener(fresh);
  }

  /** Takes away for good what nobody can read in its stream any more, and says so in `$scavenges-{id}`; its id. */
  scavenge(): Promise<string> {
    return this.#turns.take(() => {
      const now = Date.now();
      const gone = [...this.#streams].flatMap(([stream, line]) =>
        scavengeable(line, this.isTombstoned(stream), now),
      );
      const removed = new Set(gone.filter((event) => this.#isIndexed(event)));
      const id = randomUUID();
      this.#write(`$scavenges-${id}`, 0, [event('$scavengeCompleted', Buffer.from('{}'))]);
      this.#remove((event) => removed.has(event), this.#file.scavenge([...removed]));
      return id;
    });
  }

  /** Resolves once all writes that were begun before are decided. */
  async settled(): Promise<void> {
    await this.#turns.take(() => undefined);
  }

  #forget({ removed, scavengedTo }: Contents): void {
    if (scavengedTo > 0) this.#remove(({ dataAt }) => removed.has(dataAt), scavengedTo);
  }

  #remove(isGone: (event: StoredEvent) => boolean, scavengedTo: number): void {
    for (const { stream, revision } of this.order.remove(isGone, scavengedTo)) {
      this.#lineFor(stream).events[Number(revision)] = undefined;
    }
  }

  close(): void {
    this.#file.close();
  }

  async #endTurn(answer: () => void): Promise<void> {
    const fresh = this.#fresh.splice(0);
    await this.#file.synced();
    const finish = (): void => {
      this.order.push(fresh);
      answer();
      if (fresh.length > 0) for (const listener of [...this.#listeners]) listener(fresh);
    };
    const { beforeIndexing } = this.#options;
    if (beforeIndexing === undefined || fresh.length === 0) finish();
    else this.#indexing = Promise.all([this.#indexing, beforeIndexing(fresh)]).then(finish);
  }

  #append(stream: string, expected: Expected, proposed: readonly ProposedEvent[]): Decided {
    if (this.isTombstoned(stream)) return { kind: 'deleted' };
    // The server leaves metadata and type out of its sum.
    if (proposed.reduce((sum, { data }) => sum + data.length, 0) > this.maxAppendSize)
      return { kind: 'too-big', most: this.maxAppendSize };
    const line = this.#streams.get(stream);
    const verdict = decide(stream, line, expected, { events: proposed, known: this.#known });
    if (verdict.kind === 'repeat') {
      if (!this.#isIndexed(verdict.last)) return { kind: 'dropped' };
      return { kind: 'done', revision: Number(verdict.last.revision), position: verdict.last.position };
    }
    if (verdict.kind !== 'write') return verdict;
    return this.#write(stream, verdict.first, proposed);
  }

  #write(stream: string, first: number, proposed: readonly ProposedEvent[]): AppendOutcome {
    const hidden = softlyDeleted(this.#streams.get(ownerOf(stream)));
    const stored = this.#file.add(
      proposed.map((event, index) => ({ ...event, stream, revision: String(first + index), created: now() })),
    );
    for (const one of stored) this.#publish(one);
    const last = stored.at(-1);
    // A write to the stream or to its metadata takes the deletion back, and its old events stay hidden.
    if (hidden !== undefined) this.#writeMetadata(ownerOf(stream), `{"$tb":${hidden}}`);
    // An append of nothing answers 0 also for a stream that does not come to be.
    return {
      kind: 'done',
      revision: Number(last?.revision ?? Math.max(0, first - 1)),
      position: last?.position ?? 0,
    };
  }

  #delete(stream: string, expected: Expected, how: 'soft' | 'hard'): DeleteOutcome {
    if (this.isTombstoned(stream)) return { kind: 'deleted' };
    const actual = (this.#streams.get(stream)?.events.length ?? 0) - 1;
    if (!allowsDeletion(expected, actual, how)) return { kind: 'wrong', actual };
    const position =
      how === 'soft'
        ? this.#writeMetadata(stream, `{"$tb":${SOFTLY_DELETED}}`)
        : this.#writeTombstone(stream);
    return { kind: 'done', position };
  }

  #writeTombstone(stream: string): number {
    const tombstone = { ...event('$streamDeleted', new Uint8Array(0)), stream, revision: TOMBSTONE_REVISION };
    const [stored] = this.#file.add([tombstone]);
    if (stored !== undefined) this.#publish(stored);
    return stored?.position ?? 0;
  }

  #writeMetadata(stream: string, json: string): number {
    const metastream = `$$${stream}`;
    const revision = String(this.#streams.get(metastream)?.events.length ?? 0);
    const [stored] = this.#file.add([
      { ...event('$metadata', Buffer.from(json)), stream: metastream, revision },
    ]);
    if (stored !== undefined) this.#publish(stored, Buffer.from(json));
    return stored?.position ?? 0;
  }

  #publish(written: StoredEvent, data?: Uint8Array): void {
    const stored = placed(written);
    this.#take(stored, data);
    this.#known.remember(stored.stream, stored.id, Number(stored.revision));
    this.#fresh.push(stored);
  }

  #take(stored: StoredEvent, data?: Uint8Array): void {
    const line = this.#lineFor(stored.stream);
    if (stored.type === '$streamDeleted') line.tombstone = stored;
    else line.events[Number(stored.revision)] = stored;
    if (isMetastream(stored.stream) && stored.type === '$metadata') {
      this.#lineFor(ownerOf(stored.stream)).limits = limitsOf(data ?? this.#syncedBody(stored));
    }
  }

  #syncedBody(stored: StoredEvent): Uint8Array {
    this.#file.sync();
    return this.#file.body(stored).data;
  }

  #lineFor(stream: string): StreamLine {
    const line = this.#streams.get(stream) ?? newLine(stream);
    this.#streams.set(stream, line);
    return line;
  }
}
