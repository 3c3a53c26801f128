import { setTimeout as wait } from 'node:timers/promises';
import type { Position } from '@rollcall/application';
import type { KnownGaps } from './known-gaps.js';
import type { OwnStreams } from './own-streams.js';
import type { StoredEvent } from './recorded-event.js';
import { atPosition, lastEventsRequest, type AllPosition, type Filter } from './requests.js';
import { scanToEnd } from './scan.js';
import type { Wire } from './wire.js';

type Leader = Pick<Wire, 'read' | 'moves' | 'seekLeader'>;

export interface LastPositionOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Streams whose names begin so do not count. */
  readonly withoutStreams: readonly string[];
  /** Is told where none of the events stand that count. */
  readonly gaps: KnownGaps;
  /** Told where the log ends before a place that it has reached: an older copy of it was put in its stead. */
  readonly onShrunk: () => void;
}

/** What was found so far: every own event up to `upTo` is known, and `last` is the last of them. */
interface Seen {
  readonly upTo: AllPosition;
  readonly last: Position | undefined;
}

/** Of own events that a look may have sent to it; where there are more of them the last one is looked for from the end. */
const MOST_BYTES = 1_048_576;

/**
 * The position of the last event of this installation, but for streams that are left out. Other tenants' events and the
 * server's own do not count, but they may stand behind it in any number: each look goes on where the one before it has
 * come to, also where that one failed. There is one at a time; it goes on while its callers give up and come again.
 */
export class LastPosition {
  readonly #wire: Leader;
  readonly #own: OwnStreams;
  readonly #options: LastPositionOptions;
  readonly #filter: Filter;
  #seen: Seen | undefined;
  #running: Promise<void> | undefined;

  constructor(wire: Leader, own: OwnStreams, options: LastPositionOptions) {
    this.#wire = wire;
    this.#own = own;
    this.#options = options;
    this.#filter = own.filter({ without: options.withoutStreams });
  }

  /**
   * Not before any event that was answered when this is called. It takes as long as there are others' events to pass;
   * `EventLogUnavailable` where the server does not answer.
   */
  async read(): Promise<Position | undefined> {
    for (;;) {
      const { moves } = this.#wire;
      const head = await this.#head();
      if (head === undefined) return undefined;
      const position = atPosition(head.position);
      if (this.#counts(head.stream)) this.#see({ upTo: position, last: head.position });
      if (await this.#comesTo(position, moves)) return this.#seen?.last;
    }
  }

  /** False where the connection has moved: the end has to be asked for again. */
  async #comesTo(position: AllPosition, moves: number): Promise<boolean> {
    while (!this.#knows(position) && !this.#options.signal.aborted) {
      if (this.#wire.moves !== moves) return false;
      await this.#look(position, moves);
    }
    return true;
  }

  #counts(stored: string): boolean {
    const name = this.#own.nameOf(stored);
    return name !== undefined && !this.#options.withoutStreams.some((begin) => name.startsWith(begin));
  }

  #knows({ commit }: AllPosition): boolean {
    return this.#seen !== undefined && this.#seen.upTo.commit >= commit;
  }

  #see(seen: Seen): void {
    if (this.#knows(seen.upTo)) return;
    this.#seen = seen;
    this.#options.gaps.note(seen.last, seen.upTo);
  }

  /** The newest event of whomever. Where it is older than what was known before, all of that is forgotten. */
  async #head(): Promise<StoredEvent | undefined> {
    const known = this.#seen?.upTo.commit ?? 0n;
    let head = await this.#newest();
    const isShrunk = (): boolean => !this.#options.signal.aborted && (head?.position ?? 0n) < known;
    if (isShrunk()) {
      // A node that was cut off from its peers may know less.
      await this.#wire.seekLeader();
      head = await this.#newest();
    }
    if (!isShrunk()) return head;
    this.#seen = undefined;
    this.#options.onShrunk();
    return head;
  }

  #look(position: AllPosition, moves: number): Promise<void> {
    const from = this.#seen;
    const look = async (): Promise<void> =>
      from === undefined ? this.#lookBack() : this.#readOn(from, { to: position, moves });
    this.#running ??= look().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #readOn(from: Seen, { to, moves }: { to: AllPosition; moves: number }): Promise<void> {
    const scan = { after: from.upTo, filter: this.#filter, signal: this.#options.signal };
    let { last } = from;
    let bytes = 0;
    for await (const { event, position } of scanToEnd(this.#wire, scan)) {
      if (event !== undefined) last = event.position;
      this.#see({ upTo: position, last });
      bytes += event?.message.getData_asU8().length ?? 0;
      if (bytes > MOST_BYTES) return this.#lookBack();
      if (this.#knows(to)) return;
    }
    if (this.#isStill(moves)) this.#see({ upTo: to, last });
  }

  /** The end of another node is not come to with what this one has. */
  #isStill(moves: number): boolean {
    return !this.#options.signal.aborted && this.#wire.moves === moves;
  }

  /** From the end to the last own event. What comes first is known for sure; on the way the server says nothing. */
  async #lookBack(): Promise<void> {
    const { moves } = this.#wire;
    const head = await this.#newest();
    const found = new AbortController();
    const signal = AbortSignal.any([this.#options.signal, found.signal]);
    try {
      const last = await Promise.race([this.#newestOwn(signal), this.#failsWhenSilent(signal)]);
      if (head !== undefined && !signal.aborted && this.#isStill(moves))
        this.#see({ upTo: atPosition(head.position), last: last?.position });
    } finally {
      found.abort();
    }
  }

  #newest(): Promise<StoredEvent | undefined> {
    return first(this.#wire.read(lastEventsRequest(1), this.#options.signal).events());
  }

  #newestOwn(signal: AbortSignal): Promise<StoredEvent | undefined> {
    return first(this.#wire.read(lastEventsRequest(1, this.#filter), signal, Infinity).events());
  }

  /** As long as the server answers others it is still at work. */
  async #failsWhenSilent(signal: AbortSignal): Promise<never> {
    for (;;) {
      await wait(this.#options.timeoutMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return new Promise<never>(() => undefined);
      await this.#newest();
    }
  }
}

async function first(events: AsyncIterable<StoredEvent>): Promise<StoredEvent | undefined> {
  let found: StoredEvent | undefined;
  for await (const event of events) found ??= event;
  return found;
}
