import { within, type Position } from '@rollcall/application';
import { notInTime } from './failures.js';
import type { OwnStreams } from './own-streams.js';
import type { ReadCall } from './read-call.js';
import type { StoredEvent } from './recorded-event.js';
import { atPosition, eventsFromRequest, lastEventsRequest, type Filter } from './requests.js';
import type { Wire } from './wire.js';

export interface LastPositionOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Streams whose names begin so do not count. */
  readonly withoutStreams: readonly string[];
}

/** What was found by the last look: every own event up to `upTo` is known, and `last` is the last of them. */
interface Seen {
  readonly upTo: Position;
  readonly last: Position | undefined;
}

/**
 * The position of the last event of this installation, but for streams that are left out. Other tenants' events and the
 * server's own do not count, but they may stand behind it in any number: only those are looked at that were not there at
 * the last look.
 */
export class LastPosition {
  readonly #wire: Wire;
  readonly #own: OwnStreams;
  readonly #options: LastPositionOptions;
  readonly #filter: Filter;
  #seen: Seen | undefined;
  #firstLook: Promise<void> | undefined;

  constructor(wire: Wire, own: OwnStreams, options: LastPositionOptions) {
    this.#wire = wire;
    this.#own = own;
    this.#options = options;
    this.#filter = own.filter('', options.withoutStreams);
  }

  /** Not before any event that was answered when this is called. `EventLogUnavailable` where the server does not answer. */
  async read(): Promise<Position | undefined> {
    const head = await this.#newest();
    if (head === undefined) return undefined;
    const { position } = head;
    if (this.#counts(head.stream)) return this.#see({ upTo: position, last: position });
    if (this.#seen === undefined) await within(this.#look(), this.#options.timeoutMs, notInTime);
    const seen = this.#seen;
    if (seen === undefined || seen.upTo >= position) return seen?.last;
    const last = (await this.#isAnyBehind(seen.upTo)) ? await this.#newestOwn() : seen.last;
    return this.#see({ upTo: position, last });
  }

  #counts(stored: string): boolean {
    const name = this.#own.nameOf(stored);
    return name !== undefined && !this.#options.withoutStreams.some((begin) => name.startsWith(begin));
  }

  #see(seen: Seen): Position | undefined {
    if (this.#seen === undefined || seen.upTo > this.#seen.upTo) this.#seen = seen;
    return seen.last;
  }

  /** The first look may pass millions of other tenants' events: it goes on while callers give up and come again. */
  #look(): Promise<void> {
    this.#firstLook ??= this.#lookOnce().finally(() => {
      this.#firstLook = undefined;
    });
    return this.#firstLook;
  }

  async #lookOnce(): Promise<void> {
    const head = await this.#newest();
    const last = await this.#newestOwn(Infinity);
    if (head !== undefined) this.#see({ upTo: head.position, last });
  }

  #newest(): Promise<StoredEvent | undefined> {
    return this.#first(this.#wire.read(lastEventsRequest(1), this.#options.signal));
  }

  /** Without a limit to the server's silence its pings still tell whether it is there. */
  async #newestOwn(silenceMs?: number): Promise<Position | undefined> {
    const request = lastEventsRequest(1, this.#filter);
    const newest = await this.#first(this.#wire.read(request, this.#options.signal, silenceMs));
    return newest?.position;
  }

  async #isAnyBehind(position: Position): Promise<boolean> {
    const request = eventsFromRequest(atPosition(position), 2, this.#filter);
    const call = this.#wire.read(request, this.#options.signal);
    const found = await this.#first(call, (event) => event.position > position);
    return found !== undefined;
  }

  async #first(
    call: ReadCall,
    fits: (event: StoredEvent) => boolean = () => true,
  ): Promise<StoredEvent | undefined> {
    let found: StoredEvent | undefined;
    for await (const event of call.events()) if (fits(event)) found ??= event;
    return found;
  }
}
