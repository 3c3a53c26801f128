import { setTimeout } from 'node:timers/promises';
import {
  splitMetadata,
  type Clock,
  type EventReader,
  type EventSubscriber,
  type Position,
  type RecordedEvent,
  type StreamJanitor,
} from '@rollcall/adapters';
import { framesOf, problemOf, type ProjectorLogger } from './problems.js';

/** Pieces that nothing refers to may belong to an append that is still under way for so long (design: "Large data"). */
export const UNREFERENCED_MS = 24 * 60 * 60_000;

const EVERY_MS = 60 * 60_000;
const PREFIX = 'data-';
const NAME = /data-[0-9a-f-]{36}-[0-9a-f]{16}/g;

export interface SweeperOptions {
  /** Reads, follows and deletes; it cannot append. */
  readonly log: EventReader & EventSubscriber & StreamJanitor;
  readonly clock: Clock;
  readonly logger?: ProjectorLogger;
}

/**
 * Deletes `data-` streams that no event refers to and whose last piece is older than 24 hours. A stream is kept when
 * there is any doubt: any mention of its name in any event counts as a reference, and so does an age that cannot be read.
 */
export class Sweeper {
  readonly #options: SweeperOptions;
  readonly #mentioned = new Set<string>();
  #scannedTo: Position | undefined;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  /** The names of the streams that were deleted. */
  async sweep(): Promise<readonly string[]> {
    const old = await this.#oldStreams();
    if (old.length === 0) return [];
    // What is written from here on cannot refer to a stream that has been old for a day.
    await this.#scan();
    const over = old.filter((stream) => !this.#mentioned.has(stream));
    for (const stream of over) await this.#options.log.deleteStream(stream);
    if (over.length > 0)
      this.#options.logger?.info({ streams: over.length }, 'deleted staged data without a reference');
    return over;
  }

  async #oldStreams(): Promise<string[]> {
    const { log, clock } = this.#options;
    const old: string[] = [];
    for await (const { stream } of log.listStreams(PREFIX)) {
      if (this.#mentioned.has(stream)) continue;
      const last = await log.readLast(stream);
      if (last !== undefined && clock.now() - recordedAt(last) > UNREFERENCED_MS) old.push(stream);
    }
    return old;
  }

  async #scan(): Promise<void> {
    const { signal } = new AbortController();
    const options = { after: this.#scannedTo, withoutStreams: [PREFIX], signal };
    for await (const item of this.#options.log.subscribeToAll(options)) {
      if (item.kind === 'event') {
        for (const name of mentions(item.event)) this.#mentioned.add(name);
        this.#scannedTo = item.event.position;
        continue;
      }
      this.#scannedTo = item.position;
      return;
    }
  }
}

/** Sweeps at once and then each hour, until the signal aborts; what fails is tried again at the next turn. */
export async function runSweeper(options: SweeperOptions & { readonly signal: AbortSignal }): Promise<void> {
  const sweeper = new Sweeper(options);
  while (!options.signal.aborted) {
    try {
      await sweeper.sweep();
    } catch (error) {
      const details = { problem: problemOf(error), frames: framesOf(error) };
      options.logger?.warn(details, 'staged data was not swept');
    }
    await setTimeout(EVERY_MS, undefined, { signal: options.signal, ref: false }).catch(() => undefined);
  }
}

function mentions(event: RecordedEvent): readonly string[] {
  if (event.contentType !== 'json') return [];
  const { data } = event;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return bytes.includes(PREFIX) ? (bytes.toString('latin1').match(NAME) ?? []) : [];
}

/** Milliseconds since the epoch; now and for ever where it cannot be read, so that the stream stays. */
function recordedAt(event: RecordedEvent): number {
  const match = /"recordedAt":"(?<at>[^"]+)"/.exec(splitMetadata(event.metadata)?.metadata ?? '');
  const at = Date.parse(match?.groups?.['at'] ?? '');
  return Number.isNaN(at) ? Infinity : at;
}
