import { setTimeout } from 'node:timers/promises';
import {
  framesOf,
  problemOf,
  type Clock,
  type EventReader,
  type EventSubscriber,
  type ProcessLogger,
  type StreamAdmin,
} from '@rollcall/application/read';
import { recordedAt, StreamReferences } from './stream-references.js';

const DAY_MS = 24 * 60 * 60_000;

/** Chunks that nothing refers to may belong to an append that is still under way for so long (design: "Large data"). */
const UNREFERENCED_MS = DAY_MS;

/** How long the body of a queued import is kept once the import has ended, so that a person can have it tried again. */
const ENDED_MS = 7 * DAY_MS;

const EVERY_MS = 60 * 60_000;

export interface SweeperOptions {
  /** Reads, follows and deletes; it cannot append. */
  readonly log: EventReader & EventSubscriber & StreamAdmin;
  readonly clock: Clock;
  readonly logger?: ProcessLogger;
}

/**
 * Deletes `data-` and `payload-` streams that no event refers to and whose last chunk is older than 24 hours, and payloads
 * of imports that ended 7 days ago. A stream is kept when there is any doubt: any mention of a `data-` stream's name counts
 * as a reference, so does any event but its own `ImportQueued` that refers to a payload, and an age that cannot be read.
 */
export class Sweeper {
  readonly #options: SweeperOptions;
  readonly #references: StreamReferences;

  constructor(options: SweeperOptions) {
    this.#options = options;
    this.#references = new StreamReferences(options.log);
  }

  /** The names of the streams that were deleted. */
  async sweep(): Promise<readonly string[]> {
    const data = await this.#oldStreams('data-', (stream) => !this.#references.knowsData(stream));
    const payloads = await this.#oldStreams('payload-', (stream) => this.#mayBeOver(stream));
    if (data.length + payloads.length === 0) return [];
    // What is written from here on cannot refer to a stream that has been old for a day.
    await this.#references.readOn();
    const over = [
      ...data.filter((stream) => !this.#references.knowsData(stream)),
      ...payloads.filter((stream) => this.#isOver(stream)),
    ];
    for (const stream of over) await this.#options.log.deleteStream(stream);
    if (over.length > 0)
      this.#options.logger?.info({ streams: over.length }, 'deleted pieces that nothing needs any more');
    return over;
  }

  async #oldStreams(prefix: string, isWanted: (stream: string) => boolean): Promise<string[]> {
    const { log, clock } = this.#options;
    const old: string[] = [];
    for await (const { stream } of log.listStreams(prefix)) {
      if (!isWanted(stream)) continue;
      const last = await log.readLast(stream);
      if (last !== undefined && clock.now() - recordedAt(last) > UNREFERENCED_MS) old.push(stream);
    }
    return old;
  }

  /** Whether a look into the log could show that nothing needs the payload any more. */
  #mayBeOver(stream: string): boolean {
    const payload = this.#references.payload(stream);
    return payload?.endedAt === undefined ? payload?.kept !== true : this.#isOver(stream);
  }

  #isOver(stream: string): boolean {
    const payload = this.#references.payload(stream);
    if (payload === undefined) return true;
    const { kept, endedAt = Infinity } = payload;
    return !kept && this.#options.clock.now() - endedAt > ENDED_MS;
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
