import type { CallContext, EventName } from '@rollcall/contracts';
import { EventLogUnavailable, type EventAppender } from '../ports/event-log.js';
import { encodeDomainEvent, type JsonSource, type NewEvent, type StoredData } from './new-events.js';
import type { ChunksDeps } from './chunks.js';
import { shareOutage } from './outage-retry.js';
import { CHUNK_BYTES, stagedReference } from './staged-data.js';
import { storeSource, type StagedContents } from './staging.js';

export interface EventsToPrepare {
  readonly events: readonly NewEvent[];
  /** Writes what the events refer to, right before each append; where it cannot repeat earlier writes, that is an outage. */
  readonly beforeAppend?: (isLate: boolean) => Promise<void>;
  /** The start of the earliest earlier write that is not repeated. */
  readonly writtenSince?: Moment | undefined;
}

/** Older writes are checked before the append: the machine may have been suspended, and the sweeper may have run. */
export const LATE_MS = 10 * 60_000;

const maxPreparations = 3;

export class Preparation {
  readonly #deps: ChunksDeps;
  readonly #context: CallContext;
  /** Nobody else writes for the operation, and nothing of it can have been swept. */
  #isFresh: boolean;
  readonly #staged: StagedContents = new Map();
  readonly #isOwn: boolean;
  #stagedAt: Moment | undefined;
  /** The start of the first `beforeAppend` whose writes are not all repeated. */
  #writtenAt: Moment | undefined;

  constructor(deps: ChunksDeps, context: CallContext, isFresh: boolean) {
    this.#isFresh = isFresh;
    this.#isOwn = isFresh;
    this.#deps = deps;
    this.#context = context;
  }

  async prepare(wanted: EventsToPrepare): Promise<readonly StoredData[]> {
    return this.#prepare(wanted, false);
  }

  async #prepare(wanted: EventsToPrepare, isLate: boolean): Promise<readonly StoredData[]> {
    const { events, beforeAppend, writtenSince } = wanted;
    const prepared: StoredData[] = [];
    for (const event of events) prepared.push(await this.#store(event));
    if (beforeAppend) this.#writtenAt ??= (isLate ? undefined : writtenSince) ?? this.#now();
    await beforeAppend?.(isLate);
    await this.removeStaged(prepared);
    return prepared;
  }

  /** Deletes what was staged for abandoned decisions; nothing of a shared operation, whose streams others may refer to. */
  async removeStaged(kept: readonly StoredData[] = []): Promise<void> {
    if (!this.#isOwn) return;
    const used = new Set(kept.map(({ data }) => stagedReference(data)?.stream));
    for (const stream of this.#staged.keys()) {
      if (used.has(stream)) continue;
      this.#staged.delete(stream);
      await this.#deps.log.deleteStream(stream);
    }
  }

  /** Prepares anew where that was too long ago. Existing chunks are reused. */
  async renewed(wanted: EventsToPrepare, before: readonly StoredData[]): Promise<readonly StoredData[]> {
    let prepared = before;
    for (let round = 0; this.#isLate() && round < maxPreparations; round++) {
      this.#isFresh = false;
      this.#staged.clear();
      this.#stagedAt = undefined;
      this.#writtenAt = undefined;
      prepared = await this.#prepare(wanted, true);
    }
    return prepared;
  }

  /** A log whose late appends, first or repeated, are an outage. */
  appender(): EventAppender {
    const { log } = this.#deps;
    const append: EventAppender['append'] = (stream, expected, events) => {
      if (!this.#isLate()) return log.append(stream, expected, events);
      const why = 'what its events refer to was written too long ago';
      return Promise.reject(new EventLogUnavailable(`The append to ${stream} comes too late: ${why}`));
    };
    return shareOutage({ append }, log);
  }

  #store(event: NewEvent): Promise<StoredData> | StoredData {
    const small = 'source' in event ? undefined : encodeDomainEvent(event);
    if (small !== undefined && small.data.byteLength <= CHUNK_BYTES) return small;
    this.#stagedAt ??= this.#now();
    return storeSource(
      this.#deps,
      this.#context,
      { ...asSource(event, small), isFresh: this.#isFresh },
      this.#staged,
    );
  }

  #isLate(): boolean {
    return [this.#stagedAt, this.#writtenAt].some(
      (then) => then !== undefined && elapsed(then, this.#now()) > LATE_MS,
    );
  }

  #now(): Moment {
    return momentOf(this.#deps);
  }
}

/** By both clocks: the monotonic one stops while the machine is suspended, the other may be set back. */
export interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

export const momentOf = ({ clock, timer }: ChunksDeps): Moment => ({
  wall: clock.now(),
  monotonic: (timer ?? (() => performance.now()))(),
});

const elapsed = (from: Moment, to: Moment): number =>
  Math.max(to.wall - from.wall, to.monotonic - from.monotonic);

function asSource(event: NewEvent, encoded: StoredData | undefined): { name: EventName; source: JsonSource } {
  if ('source' in event) return event;
  return { name: event.name, source: { chunks: () => (encoded === undefined ? [] : [encoded.data]) } };
}
