import type { Position } from '@rollcall/application';
import type { OwnStreams } from './own-streams.js';
import { atPosition, type AllPosition } from './requests.js';
import { deletedStreams, eventsUntilEnd } from './subscription.js';
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

/**
 * The server keeps no list of streams: they are found in the log, once, and afterwards only what is new is read.
 * One list for each beginning of names; those who ask at the same time read one after the other.
 */
export class StreamList {
  readonly #wire: Wire;
  readonly #own: OwnStreams;
  readonly #begin: string;
  readonly #found = new Map<string, Position>();
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
    const start = this.#behind;
    let leftOut: readonly string[] = [];
    for (let bulky = await this.#readOn(leftOut, signal); bulky !== undefined;) {
      leftOut = [...leftOut, bulky].slice(-MOST_LEFT_OUT);
      bulky = await this.#readOn(leftOut, signal);
    }
    for (const stored of await deletedStreams(this.#wire, start, signal)) {
      const stream = this.#own.nameOf(stored);
      if (stream !== undefined) this.#found.delete(stream);
    }
  }

  /** To the end, or to a stream (named without the beginning) whose further events are better left out. */
  async #readOn(leftOut: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    const filter = this.#own.filter(this.#begin, leftOut);
    for await (const event of eventsUntilEnd(this.#wire, this.#behind, filter, signal)) {
      this.#behind = atPosition(event.position);
      const stream = this.#own.nameOf(event.stream);
      if (stream === undefined) continue;
      const isKnown = this.#found.has(stream);
      if (!isKnown) this.#found.set(stream, event.position);
      else if (event.message.getData_asU8().length >= CHUNK_BYTES) return stream.slice(this.#begin.length);
    }
    return undefined;
  }
}
