import { StreamDeleted, type Position } from '@rollcall/application';
import { TOMBSTONE, type OwnStreams } from './own-streams.js';
import type { StoredEvent } from './recorded-event.js';
import { streamRequest, type AllPosition } from './requests.js';
import { scanToEnd } from './scan.js';
import type { Wire } from './wire.js';

export interface ListedStream {
  readonly stream: string;
  readonly position: Position;
}

const CHUNK_BYTES = 65_536;
const MOST_LEFT_OUT = 32;

const NOTHING_BUT_THE_END = { from: Number.MAX_SAFE_INTEGER, limit: 1, backwards: false };

/** The server has no list of streams: reads the log once, then new events. One list per name prefix; calls take turns. */
export class StreamList {
  readonly #wire: Wire;
  readonly #own: OwnStreams;
  readonly #begin: string;
  readonly #found = new Map<string, Position>();
  /** Streams whose tombstones may have been left out with their chunks. */
  readonly #unsure = new Set<string>();
  #behind: AllPosition | undefined;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(wire: Wire, own: OwnStreams, begin: string) {
    this.#wire = wire;
    this.#own = own;
    this.#begin = begin;
  }

  async read(signal: AbortSignal): Promise<readonly ListedStream[]> {
    const reading = this.#reading.then(() => this.#catchUp(signal));
    this.#reading = reading.catch(() => undefined);
    await reading;
    return [...this.#found].map(([stream, position]) => ({ stream, position }));
  }

  async #catchUp(signal: AbortSignal): Promise<void> {
    let leftOut: readonly string[] = [];
    for (let bulky = await this.#readOn(leftOut, signal); bulky !== undefined;) {
      leftOut = [...leftOut, bulky].slice(-MOST_LEFT_OUT);
      bulky = await this.#readOn(leftOut, signal);
    }
    for (const stream of this.#unsure) {
      if (await this.#isDeleted(stream, signal)) this.#found.delete(stream);
      this.#unsure.delete(stream);
    }
  }

  async #readOn(leftOut: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    const filter = this.#own.filter({ begin: this.#begin, leftOut });
    const scan = { after: this.#behind, filter, signal, isFresh: leftOut.length > 0 };
    for await (const { event, position } of scanToEnd(this.#wire, scan)) {
      this.#behind = position;
      const bulky = event && this.#take(event);
      if (bulky !== undefined) return bulky;
    }
    return undefined;
  }

  #take(event: StoredEvent): string | undefined {
    const stream = this.#own.nameOf(event.stream);
    if (stream === undefined) return undefined;
    if (event.type === TOMBSTONE) {
      this.#found.delete(stream);
      return undefined;
    }
    const isKnown = this.#found.has(stream);
    if (!isKnown) this.#found.set(stream, event.position);
    if (!isKnown || event.message.getData_asU8().length < CHUNK_BYTES) return undefined;
    this.#unsure.add(stream);
    return stream;
  }

  async #isDeleted(stream: string, signal: AbortSignal): Promise<boolean> {
    const request = streamRequest(this.#own.prefix + stream, NOTHING_BUT_THE_END);
    try {
      const read = this.#wire.read(request, signal);
      while ((await read.next()) !== undefined);
      return false;
    } catch (error) {
      if (error instanceof StreamDeleted) return true;
      throw error;
    }
  }
}
