import type { CallContext, EventName } from '@rollcall/contracts';
import { EventLogUnavailable, type EventAppender } from '../ports/event-log.js';
import { encodeDomainEvent, type JsonSource, type NewEvent, type StoredData } from './new-events.js';
import { CHUNK_BYTES } from './staged-data.js';
import type { ChunksDeps } from './chunks.js';
import { storeSource, type StagedContents } from './staging.js';

/** Events, and what they refer to. */
export interface EventsToPrepare {
  readonly events: readonly NewEvent[];
  /**
   * Writes what the events refer to, right before they are appended; called again where it is decided again, and where the
   * append comes late: then what it wrote before may be gone. An outage where that cannot be written again.
   */
  readonly beforeAppend?: (isLate: boolean) => Promise<void>;
  /** When what it need not write any more may have been written, where that was before. */
  readonly writtenSince?: Moment | undefined;
}

/**
 * After so long what was written before an event is looked at again before the event is appended: the machine may have been
 * suspended for a day, and the sweeper may have deleted what no event referred to (design: "Large data").
 */
export const LATE_MS = 10 * 60_000;

/** How often it is prepared again before that is an outage. */
const MOST_ROUNDS = 3;

/** What the events of one call need in the log before they can be appended. */
export class Preparation {
  readonly #deps: ChunksDeps;
  readonly #context: CallContext;
  /** Nobody else writes for the operation, and nothing that was written for it may have been swept meanwhile. */
  #isFresh: boolean;
  readonly #staged: StagedContents = new Map();
  /** When the oldest of what was staged began to be written, or was looked at. */
  #stagedAt: Moment | undefined;
  /** When the first `beforeAppend` began that need not have written all anew since; undefined where there was none. */
  #writtenAt: Moment | undefined;

  constructor(deps: ChunksDeps, context: CallContext, isFresh: boolean) {
    this.#isFresh = isFresh;
    this.#deps = deps;
    this.#context = context;
  }

  /** Checked, encoded and staged, and what they refer to written: everything that does not depend on the head. */
  async prepare(wanted: EventsToPrepare): Promise<readonly StoredData[]> {
    return this.#prepare(wanted, false);
  }

  async #prepare(wanted: EventsToPrepare, isLate: boolean): Promise<readonly StoredData[]> {
    const { events, beforeAppend, writtenSince } = wanted;
    const prepared: StoredData[] = [];
    for (const event of events) prepared.push(await this.#store(event));
    if (beforeAppend) this.#writtenAt ??= (isLate ? undefined : writtenSince) ?? this.#now();
    await beforeAppend?.(isLate);
    return prepared;
  }

  /** The same, or prepared anew where that was too long ago. Chunks that are still there are met again. */
  async renewed(wanted: EventsToPrepare, before: readonly StoredData[]): Promise<readonly StoredData[]> {
    let prepared = before;
    for (let round = 0; this.#isLate() && round < MOST_ROUNDS; round++) {
      this.#isFresh = false;
      this.#staged.clear();
      this.#stagedAt = undefined;
      this.#writtenAt = undefined;
      prepared = await this.#prepare(wanted, true);
    }
    return prepared;
  }

  /** The log for these events: an append that has become late on its way there, or when it is repeated, is an outage. */
  appender(): EventAppender {
    return {
      append: (stream, expected, events) => {
        if (!this.#isLate()) return this.#deps.log.append(stream, expected, events);
        const why = 'what its events refer to was written too long ago';
        return Promise.reject(new EventLogUnavailable(`The append to ${stream} comes too late: ${why}`));
      },
    };
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

/** By both clocks: one stands still while the machine is suspended, the other may be set back. */
export interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

/** The present one. */
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
