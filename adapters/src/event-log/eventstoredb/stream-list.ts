import { StreamDeleted, type Position } from '@rollcall/application';
import { TOMBSTONE, type OwnStreams } from './own-streams.js';
import type { StoredEvent } from './recorded-event.js';
import { streamRequest, type AllPosition } from './requests.js';
import { scanToEnd } from './scan.js';
import type { Wire } from './wire.js';

export interface ListedStream {
  /** Without the prefix. */
  readonly stream: string;
  /** Of the first event. */
  readonly position: Position;
}

/** A second event of this weight in a stream is a chunk of large data: the server is asked to leave the others out. */
const CHUNK_BYTES = 65_536;
const MOST_LEFT_OUT = 32;

/** Behind every event. */
const NOTHING_BUT_THE_END = { from: Number.MAX_SAFE_INTEGER, limit: 1, backwards: false };

/**
 * The server keeps no list of streams: they are found in the log, once, and afterwards only what is new is read, events and
 * deletions in the same pass. One list for each beginning of names; those who ask at the same time read one after the other.
 */
export class StreamList {
  readonly #wire: Wire;
  readonly #own: OwnStreams;
  readonly #begin: string;
  readonly #found = new Map<string, Position>();
  /** Streams whose deletion may have been left out with their chunks. */
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

  /** To the end, or to a stream whose further events are better left out. */
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

  /** The event's stream, where its further events are better left out. */
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
