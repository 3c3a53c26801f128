import { randomUUID } from 'node:crypto';
import { decide, type Expected } from './decisions.js';
import { KnownIds } from './known-ids.js';
import { LogFile, type EventToStore, type StoredEvent } from './log-file.js';
import { neighboursOf, placed } from './neighbours.js';
import { isMetastream, limitsOf, newLine, SOFTLY_DELETED, type StreamLine } from './streams.js';

export const MAX_APPEND_SIZE = 1_048_576;

/** The revision of the event that a tombstone leaves in `$all`. */
const TOMBSTONE_REVISION = '9223372036854775807';

export type ProposedEvent = Pick<EventToStore, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;

export type AppendOutcome =
  | { readonly kind: 'done'; readonly revision: number; readonly position: number }
  | { readonly kind: 'wrong'; readonly actual: number }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'too-big' };

export type DeleteOutcome =
  | { readonly kind: 'done'; readonly position: number }
  | { readonly kind: 'wrong'; readonly actual: number }
  | { readonly kind: 'deleted' };

type Listener = (events: readonly StoredEvent[]) => void;

/**
 * The database: streams, the order of all, and its file. Writes that come in one turn of the event loop are decided one
 * after the other, written and synced together, and answered and published after that.
 */
export class Store {
  /** Every event in the order of positions. */
  readonly all: StoredEvent[] = [];
  readonly #file: LogFile;
  readonly #streams = new Map<string, StreamLine>();
  readonly #byPosition = new Map<number, number>();
  readonly #known = new KnownIds();
  readonly #listeners = new Set<Listener>();
  /** Where in `all` those stand that stand for many. */
  readonly #neighbours: number[] = [];
  #turn: (() => () => void)[] = [];
  #fresh: StoredEvent[] = [];

  constructor(folder: string) {
    const { log, events } = LogFile.open(folder);
    this.#file = log;
    for (const event of events) this.#index(event);
    if (events.length === 0) this.#begin();
  }

  /** The first event of every database. */
  #begin(): void {
    const stream = '$$$scavenges';
    const data = Buffer.from('{"$maxCount":1}');
    const events = [{ ...event('$metadata', data), stream, revision: '0' }];
    for (const stored of this.#file.add(events)) this.#index(stored);
    this.#file.sync();
  }

  line(stream: string): StreamLine | undefined {
    return this.#streams.get(stream);
  }

  /** Also of a metastream whose stream was deleted. */
  isTombstoned(stream: string): boolean {
    const owner = isMetastream(stream) ? stream.slice(2) : stream;
    return this.#streams.get(owner)?.tombstone !== undefined;
  }

  body(stored: StoredEvent): { readonly data: Uint8Array; readonly metadata: Uint8Array } {
    return this.#file.body(stored);
  }

  get lastPosition(): number {
    return this.all.at(-1)?.position ?? 0;
  }

  /** The place in `all` of the event at exactly this position. */
  indexAt(position: number): number | undefined {
    return this.#byPosition.get(position);
  }

  /** Of one that stands for many: its place, and how many of its steps lie at or before the position. */
  within(position: number): { readonly index: number; readonly step: number } | undefined {
    for (const index of this.#neighbours) {
      const stored = this.all[index];
      const neighbours = stored && neighboursOf(stored);
      const step = position - (neighbours?.positionAt(0) ?? Infinity);
      if (neighbours !== undefined && step >= 0 && step < neighbours.steps) return { index, step };
    }
    return undefined;
  }

  /** Told of events once they are durable. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  append(stream: string, expected: Expected, proposed: readonly ProposedEvent[]): Promise<AppendOutcome> {
    return this.#inTurn(() => this.#append(stream, expected, proposed));
  }

  tombstone(stream: string, expected: Expected): Promise<DeleteOutcome> {
    return this.#inTurn(() => this.#delete(stream, expected, 'hard'));
  }

  softDelete(stream: string, expected: Expected): Promise<DeleteOutcome> {
    return this.#inTurn(() => this.#delete(stream, expected, 'soft'));
  }

  /** Takes over what the leader's store has more; its own listeners are told. */
  catchUpWith(leader: Store): void {
    const events = this.#file.copyFrom(leader.#file);
    for (const stored of events) this.#publish(stored);
    const fresh = this.#fresh;
    this.#fresh = [];
    if (fresh.length > 0) for (const listener of [...this.#listeners]) listener(fresh);
  }

  close(): void {
    this.#file.close();
  }

  #inTurn<T>(work: () => T): Promise<T> {
    return new Promise((resolve) => {
      if (this.#turn.length === 0) setImmediate(() => this.#runTurn());
      this.#turn.push(() => {
        const outcome = work();
        return () => resolve(outcome);
      });
    });
  }

  #runTurn(): void {
    const turn = this.#turn;
    this.#turn = [];
    const answers = turn.map((work) => work());
    this.#file.sync();
    const fresh = this.#fresh;
    this.#fresh = [];
    for (const answer of answers) answer();
    if (fresh.length > 0) for (const listener of [...this.#listeners]) listener(fresh);
  }

  #append(stream: string, expected: Expected, proposed: readonly ProposedEvent[]): AppendOutcome {
    if (this.isTombstoned(stream)) return { kind: 'deleted' };
    // The server leaves metadata and type out of its sum.
    if (proposed.reduce((sum, { data }) => sum + data.length, 0) > MAX_APPEND_SIZE)
      return { kind: 'too-big' };
    const line = this.#streams.get(stream);
    const verdict = decide(stream, line, expected, { events: proposed, known: this.#known });
    if (verdict.kind === 'repeat') {
      return { kind: 'done', revision: Number(verdict.last.revision), position: verdict.last.position };
    }
    if (verdict.kind !== 'write') return verdict;
    return this.#write(stream, verdict.first, proposed);
  }

  #write(stream: string, first: number, proposed: readonly ProposedEvent[]): AppendOutcome {
    const wasDeleted = this.#streams.get(stream)?.limits.softlyDeleted === true;
    const stored = this.#file.add(
      proposed.map((event, index) => ({ ...event, stream, revision: String(first + index), created: now() })),
    );
    for (const one of stored) this.#publish(one);
    const last = stored.at(-1);
    if (wasDeleted) this.#writeMetadata(stream, `{"$tb":${first}}`);
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
    const stored = this.#index(written, data);
    this.#known.remember(stored.stream, stored.id, Number(stored.revision));
    this.#fresh.push(stored);
  }

  #index(written: StoredEvent, data?: Uint8Array): StoredEvent {
    const stored = placed(written);
    if (neighboursOf(stored) !== undefined) this.#neighbours.push(this.all.length);
    this.#byPosition.set(stored.position, this.all.length);
    this.all.push(stored);
    const line = this.#lineFor(stored.stream);
    if (stored.type === '$streamDeleted') line.tombstone = stored;
    else line.events.push(stored);
    if (isMetastream(stored.stream) && stored.type === '$metadata') {
      this.#lineFor(stored.stream.slice(2)).limits = limitsOf(data ?? this.#syncedBody(stored));
    }
    return stored;
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

function allowsDeletion(expected: Expected, actual: number, how: 'soft' | 'hard'): boolean {
  if (typeof expected === 'bigint') return Number(expected) === actual;
  if (expected === 'no_stream') return actual === -1;
  return expected === 'any' && how === 'hard' ? true : actual >= 0;
}

const now = (): string => String(BigInt(Date.now()) * 10_000n);

const event = (type: string, data: Uint8Array) => ({
  id: randomUUID(),
  type,
  contentType: 'application/json',
  data,
  metadata: new Uint8Array(0),
  created: now(),
});
