import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { handlerThrew, streamDeleted, tooSlow, type Failure } from './errors.js';
import { filterOf, type EventFilter } from './filters.js';
import type { StoredEvent } from './log-file.js';
import { caughtUpMessage, checkpointMessage, confirmationMessage, eventMessage } from './messages.js';
import { neighboursOf, passing, type Neighbours } from './neighbours.js';
import { nameIn, type streams } from './protocol.js';
import { indexOf } from './reads.js';
import { CallEnded, fail, send, type ReadCall } from './sending.js';
import type { Store } from './store.js';
import { firstVisible, newLine } from './streams.js';

/** How many events wait for a live subscription; one more, and the server gives it up. */
const LIVE_BUFFER = 32;

type Options = streams.ReadReq.Options;

/** Where the events of a subscription come from. */
interface Source {
  /** Whether the event belongs to it at all (its stream, or everything). */
  readonly holds: (event: StoredEvent) => boolean;
  /** The event behind this one, or the first one to catch up with. */
  readonly next: (behind: StoredEvent | undefined) => StoredEvent | undefined;
  /** How far into the first of them the start lies, where that one stands for many. */
  readonly step: number;
  readonly filter: EventFilter | undefined;
  /** A stream that is not there yet is caught up with after its first event. */
  readonly waitsForStream: boolean;
  readonly stream: string | undefined;
}

export async function subscribe(store: Store, call: ReadCall, options: Options): Promise<void> {
  const source = options.hasAll() ? sourceOfAll(store, options) : sourceOfStream(store, options);
  if ('code' in source) return fail(call, source);
  try {
    await new Subscription(store, call, source).run();
  } catch (error) {
    if (!(error instanceof CallEnded)) throw error;
  }
}

function sourceOfAll(store: Store, options: Options): Source | Failure {
  const start = placeAfter(store, options);
  if (start === undefined) return handlerThrew();
  const { from, step } = start;
  const chosen = filterOf(options);
  if ('code' in chosen) return chosen;
  return {
    holds: () => true,
    next: (behind) => store.order.from(behind === undefined ? from : behind.position + 1),
    step,
    filter: chosen.filter,
    waitsForStream: false,
    stream: undefined,
  };
}

/**
 * Where a subscription to everything begins. The server reads one event from the given position on, and begins behind
 * whatever it finds: where that position was scavenged, behind another event than the caller means. Undefined where no event
 * lies there.
 */
function placeAfter(
  store: Store,
  options: Options,
): { readonly from: number; readonly step: number } | undefined {
  const position = options.getAll()?.getPosition();
  if (position === undefined) return { from: hasEnd(options) ? store.lastPosition + 1 : 0, step: 0 };
  const commit = Number(position.getCommitPosition());
  if (commit === 0) return { from: 0, step: 0 };
  const found = indexOf(store, options.getAll());
  if (typeof found !== 'number') return store.order.within(commit);
  return { from: (store.order.all[found]?.position ?? store.lastPosition) + 1, step: 0 };
}

const hasEnd = (options: Options): boolean => options.getAll()?.hasEnd() === true;

function sourceOfStream(store: Store, options: Options): Source | Failure {
  const where = options.getStream();
  const stream = nameIn(where?.getStreamIdentifier());
  if (store.isTombstoned(stream)) return streamDeleted(stream);
  const line = store.line(stream) ?? newLine(stream);
  const from = revisionAfter(where, line.events.length);
  const visible = Math.max(from, firstVisible(line, Date.now()));
  return {
    holds: (event) =>
      event.stream === stream && (event.type === '$streamDeleted' || Number(event.revision) >= from),
    next: (behind) => {
      const events = store.line(stream)?.events ?? [];
      let at = behind === undefined ? visible : Number(behind.revision) + 1;
      while (at < events.length && events[at] === undefined) at += 1;
      return events[at];
    },
    step: 0,
    filter: undefined,
    waitsForStream: line.events.length === 0,
    stream,
  };
}

function revisionAfter(where: ReturnType<Options['getStream']>, end: number): number {
  if (where?.hasEnd() === true) return end;
  return where?.hasRevision() === true ? Number(where.getRevision()) + 1 : 0;
}

class Subscription {
  readonly #store: Store;
  readonly #call: ReadCall;
  readonly #source: Source;
  readonly #waiting: (() => streams.ReadResp)[] = [];
  #considered = 0;
  /** What the first checkpoint of a catch-up names: the last match, or the first event where none has matched. */
  #firstCheckpoint = 0;
  #isCaughtUp = false;
  #mayDrain: (() => void) | undefined;
  #end: Failure | undefined;

  constructor(store: Store, call: ReadCall, source: Source) {
    this.#store = store;
    this.#call = call;
    this.#source = source;
  }

  async run(): Promise<void> {
    await send(this.#call, confirmationMessage(randomUUID()));
    const { next, filter } = this.#source;
    let { step } = this.#source;
    for (let event = next(undefined); event !== undefined; event = next(event)) {
      const neighbours = filter?.matches(event) === false ? neighboursOf(event) : undefined;
      if (neighbours !== undefined) await this.#pass(neighbours, step);
      else for (const message of this.#messages(event, 'catching-up')) await send(this.#call, message());
      step = 0;
    }
    await this.#live();
  }

  async #pass(neighbours: Neighbours, from: number): Promise<void> {
    for await (const step of passing(neighbours, from))
      await send(this.#call, checkpointMessage(neighbours.positionAt(step), 0));
  }

  /** From here on there is no backpressure: what is committed waits in the buffer. */
  async #live(): Promise<void> {
    const stop = this.#store.listen((events) => this.#committed(events));
    this.#call.once('cancelled', () => this.#wake());
    this.#call.once('close', () => this.#wake());
    try {
      if (!this.#source.waitsForStream) await this.#sayCaughtUp();
      while (!this.#call.cancelled && !this.#call.destroyed) {
        await this.#drain();
        if (this.#end !== undefined) return fail(this.#call, this.#end);
        await new Promise<void>((resolve) => {
          this.#mayDrain = resolve;
        });
      }
    } finally {
      stop();
    }
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // The buffer is emptied beside the commits, not within them.
      await nextTurn();
      const message = this.#waiting.shift();
      if (message !== undefined) await send(this.#call, message());
      if (!this.#isCaughtUp) await this.#sayCaughtUp();
    }
  }

  async #sayCaughtUp(): Promise<void> {
    this.#isCaughtUp = true;
    await send(this.#call, caughtUpMessage());
  }

  #committed(events: readonly StoredEvent[]): void {
    for (const event of events) {
      if (this.#end !== undefined || !this.#source.holds(event)) continue;
      this.#waiting.push(...this.#messages(event, 'live'));
      if (event.type === '$streamDeleted' && this.#source.stream !== undefined) {
        this.#end = streamDeleted(this.#source.stream);
      }
      if (this.#waiting.length > LIVE_BUFFER) {
        this.#waiting.length = 0;
        this.#end = tooSlow();
      }
    }
    this.#wake();
  }

  #wake(): void {
    this.#mayDrain?.();
    this.#mayDrain = undefined;
  }

  /** The event where it matches, and a checkpoint where one is due. */
  *#messages(event: StoredEvent, phase: 'catching-up' | 'live'): Generator<() => streams.ReadResp> {
    const { filter } = this.#source;
    const matches = filter === undefined || filter.matches(event);
    if (matches) yield () => eventMessage(this.#store, event);
    if (matches || this.#considered === 0) this.#firstCheckpoint = event.position;
    this.#considered += 1;
    if (filter !== undefined && this.#considered % filter.checkpointEvery === 0)
      yield this.#checkpoint(event, phase, this.#considered === filter.checkpointEvery);
  }

  #checkpoint(event: StoredEvent, phase: 'catching-up' | 'live', isFirst: boolean): () => streams.ReadResp {
    if (phase === 'live') return () => checkpointMessage(event.position, event.position);
    const first = this.#firstCheckpoint;
    return () => (isFirst ? checkpointMessage(first, first) : checkpointMessage(event.position, 0));
  }
}
