import { setTimeout as wait } from 'node:timers/promises';
import type { Position } from '@rollcall/application';
import type { KnownGaps } from './known-gaps.js';
import type { OwnStreams } from './own-streams.js';
import type { StoredEvent } from './recorded-event.js';
import { atPosition, lastEventRequest, type AllPosition, type Filter } from './requests.js';
import { oneOf, scanToEnd } from './scan.js';
import type { Wire } from './wire.js';

type Leader = Pick<Wire, 'read' | 'moves' | 'seekLeader'>;

export interface LastPositionOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly withoutStreams: readonly string[];
  readonly gaps: KnownGaps;
  /** Called if the log ends before a known position: an older copy replaced it. */
  readonly onShrunk: () => void;
}

interface Seen {
  readonly upTo: AllPosition;
  readonly last: Position | undefined;
}

/** Bytes of own events to read forwards; beyond that the last one is searched from the end. */
const maxForwardBytes = 1_048_576;

/** The position of this installation's last event. Many foreign events may follow, so polls resume where the last ended. */
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

  /** At least the position of every event answered before this call. `EventLogUnavailable`. */
  async read(): Promise<Position | undefined> {
    for (;;) {
      const { moves } = this.#wire;
      const head = await this.#head();
      if (head === undefined) return undefined;
      const position = atPosition(head.position);
      if (this.#own.nameOf(head.stream, this.#options.withoutStreams) !== undefined)
        this.#see({ upTo: position, last: head.position });
      if (await this.#comesTo(position, moves)) return this.#seen?.last;
    }
  }

  async #comesTo(position: AllPosition, moves: number): Promise<boolean> {
    while (!this.#knows(position) && !this.#options.signal.aborted) {
      if (this.#wire.moves !== moves) return false;
      await this.#look(position, moves);
    }
    return true;
  }

  #knows({ commit }: AllPosition): boolean {
    return this.#seen !== undefined && this.#seen.upTo.commit >= commit;
  }

  #see(seen: Seen): void {
    if (this.#knows(seen.upTo)) return;
    this.#seen = seen;
    this.#options.gaps.note(seen.last, seen.upTo);
  }

  /** Any tenant's newest event. If it is older than before, all cached positions are dropped. */
  async #head(): Promise<StoredEvent | undefined> {
    const known = this.#seen?.upTo.commit ?? 0n;
    let head = await this.#newest();
    const isShrunk = (): boolean => !this.#options.signal.aborted && (head?.position ?? 0n) < known;
    if (isShrunk()) {
      // A node cut off from its peers may lag.
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
      if (bytes > maxForwardBytes) return this.#lookBack();
      if (this.#knows(to)) return;
    }
    if (this.#isStill(moves)) this.#see({ upTo: to, last });
  }

  /** One node's end is not compared with another's events. */
  #isStill(moves: number): boolean {
    return !this.#options.signal.aborted && this.#wire.moves === moves;
  }

  /** Searches backwards for the last own event; the server is silent meanwhile. */
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
    return oneOf(this.#wire.read(lastEventRequest(), this.#options.signal));
  }

  #newestOwn(signal: AbortSignal): Promise<StoredEvent | undefined> {
    return oneOf(this.#wire.read(lastEventRequest(this.#filter), signal, Infinity));
  }

  /** A server that answers other calls is still working. */
  async #failsWhenSilent(signal: AbortSignal): Promise<never> {
    for (;;) {
      await wait(this.#options.timeoutMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return new Promise<never>(() => undefined);
      await this.#newest();
    }
  }
}
