import {
  type Clock,
  type EventReader,
  type EventSubscriber,
  type ProcessLogger,
  repeatedly,
  type StateSnapshots,
  type StreamAdmin,
} from '@rollcall/application/read';
import { type Payload, recordedAt, StreamReferences } from './stream-references.js';

const DAY_MS = 24 * 60 * 60_000;

/** A slow append may still need its chunks (design: "Large data"). */
const unreferencedLifetimeMs = DAY_MS;

const endedLifetimeMs = 7 * DAY_MS;

const EVERY_MS = 60 * 60_000;

interface SweeperOptions {
  /** Cannot append. */
  readonly log: EventReader & EventSubscriber & StreamAdmin;
  readonly clock: Clock;
  readonly snapshots: StateSnapshots;
  readonly logger?: ProcessLogger;
}

/** Deletes unreferenced chunk streams after 24 hours, and payloads of imports that ended 7 days ago. Keeps any in doubt. */
export class Sweeper {
  readonly #options: SweeperOptions;
  readonly #references: StreamReferences;
  /** Only what two sweeps find old goes: by a clock that is a day ahead, chunks of an append in flight are old. */
  #oldBefore: ReadonlySet<string> = new Set();

  constructor(options: SweeperOptions) {
    this.#options = options;
    this.#references = new StreamReferences(options);
  }

  /** The deleted streams' names. */
  async sweep(): Promise<readonly string[]> {
    await this.#references.load();
    const data = await this.#oldStreams('data-', (stream) => !this.#references.knowsData(stream));
    const payloads = await this.#oldStreams('payload-', (stream) => this.#mayBeOver(stream));
    if (data.length + payloads.length === 0) return [];
    // Later events cannot refer to a stream that is a day old.
    await this.#references.readOn();
    const unused = [
      ...data.filter((stream) => !this.#references.knowsData(stream)),
      ...payloads.filter((stream) => this.#isOver(stream)),
    ];
    const over = unused.filter((stream) => this.#oldBefore.has(stream));
    this.#oldBefore = new Set(unused);
    for (const stream of over) await this.#options.log.deleteStream(stream);
    if (over.length > 0)
      this.#options.logger?.info({ streams: over.length }, 'deleted pieces that nothing needs any more');
    this.#references.forget((payload) => this.#hasEnded(payload));
    await this.#references.save();
    return over;
  }

  async #oldStreams(prefix: string, isWanted: (stream: string) => boolean): Promise<string[]> {
    const { log, clock } = this.#options;
    const old: string[] = [];
    for await (const { stream } of log.listStreams(prefix)) {
      if (!isWanted(stream)) continue;
      const last = await log.readLast(stream);
      if (last !== undefined && clock.now() - recordedAt(last) > unreferencedLifetimeMs) old.push(stream);
    }
    return old;
  }

  /** Whether reading the log could show that the payload is unused. */
  #mayBeOver(stream: string): boolean {
    const payload = this.#references.payload(stream);
    return payload?.endedAt === undefined ? payload?.kept !== true : this.#isOver(stream);
  }

  #isOver(stream: string): boolean {
    const payload = this.#references.payload(stream);
    return payload === undefined || this.#hasEnded(payload);
  }

  #hasEnded({ kept, endedAt = Infinity }: Readonly<Payload>): boolean {
    return !kept && this.#options.clock.now() - endedAt > endedLifetimeMs;
  }
}

/** Sweeps at once, then hourly, until the signal aborts; failures are retried. */
export function runSweeper(options: SweeperOptions & { readonly signal: AbortSignal }): Promise<void> {
  const sweeper = new Sweeper(options);
  const message = 'the sweep of staged data failed';
  return repeatedly({ ...options, message, everyMs: EVERY_MS }, () => sweeper.sweep());
}
