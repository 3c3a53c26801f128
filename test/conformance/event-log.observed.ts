import { createHash } from 'node:crypto';
import {
  EventLogUnavailable,
  type AppendResult,
  type EventLog,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  type ReadOptions,
  type RecordedEvent,
} from '@rollcall/application';
import { catchUp, collect, placeOf } from './event-log.support.js';

/** Data and metadata included; without the position, which is every log's own. */
function textOf(event: RecordedEvent): string {
  const hash = createHash('sha256').update(event.metadata).update('|').update(event.data).digest('hex');
  return [placeOf(event), event.id, event.type, event.contentType, hash.slice(0, 12)].join(' ');
}

interface Mark {
  readonly place: string;
  readonly stream: string;
  readonly position: Position;
}

interface Live {
  readonly without: readonly string[];
  readonly seen: RecordedEvent[];
  readonly end: AbortController;
  readonly running: Promise<void>;
}

/** A log, seen in words that mean the same for every adapter: its positions become the events that stand there. */
export class ObservedLog {
  readonly #open: () => Promise<EventLog>;
  #handles: EventLog[] = [];
  /** Every event that was ever appended, in order. */
  readonly #marks: Mark[] = [];
  /** Every position that was ever answered; each step adds as many here as on the log beside it. */
  readonly #heard: (Position | undefined)[] = [undefined];
  readonly #deleted = new Set<string>();
  #lives: Live[] = [];

  constructor(open: () => Promise<EventLog>) {
    this.#open = open;
  }

  async open(handles: number): Promise<void> {
    this.#handles = await Promise.all(Array.from({ length: handles }, () => this.#open()));
  }

  async reopen(): Promise<string> {
    const { length } = this.#handles;
    const lives = await this.#endLives();
    await this.close();
    await this.open(length);
    return lives;
  }

  async close(): Promise<void> {
    for (const handle of this.#handles) await handle.close();
  }

  /** All at once, in this order. New events are read back, so that their places are known. */
  async append(
    handle: number,
    stream: string,
    appends: readonly { readonly expected: ExpectedRevision; readonly events: readonly EventToAppend[] }[],
  ): Promise<{ readonly told: string; readonly results: readonly (AppendResult | undefined)[] }> {
    const log = this.#at(handle);
    const settled = await Promise.allSettled(
      appends.map(({ expected, events }) => log.append(stream, expected, events)),
    );
    const results = settled.map((one) => (one.status === 'fulfilled' ? one.value : undefined));
    const back = results.some((result) => result?.outcome === 'appended')
      ? await this.#readBack(log, stream)
      : '';
    const told = settled.map((one) =>
      one.status === 'fulfilled' ? this.#resultText(one.value) : nameOf(one.reason),
    );
    return { told: `${told.join('; ')} ${back}`, results };
  }

  async #readBack(log: EventLog, stream: string): Promise<string> {
    const known = this.#marks.filter((mark) => mark.stream === stream).length;
    const events = await collect(log.readStream(stream, { from: known }));
    for (const event of events) {
      this.#marks.push({ place: placeOf(event), stream, position: event.position });
      this.#heard.push(event.position);
    }
    return events.map(textOf).join(', ');
  }

  #resultText(result: AppendResult): string {
    if (result.outcome === 'wrong-revision') return `wrong, it is ${result.actual}`;
    return `appended up to ${result.revision}, which is ${this.#placeAt(result.position)}`;
  }

  #placeAt(position: Position): string {
    return this.#marks.find((mark) => mark.position === position)?.place ?? 'no event';
  }

  read(handle: number, stream: string, options: ReadOptions & { stop: number }): Promise<string> {
    return telling(async () => {
      const { stop, ...range } = options;
      const texts: string[] = [];
      for await (const event of this.#at(handle).readStream(stream, range)) {
        texts.push(`${textOf(event)} at ${this.#placeAt(event.position)}`);
        if (texts.length >= stop) break;
      }
      return texts.join(', ');
    });
  }

  last(handle: number, stream: string): Promise<string> {
    return telling(async () => {
      const event = await this.#at(handle).readLast(stream);
      return event === undefined ? 'none' : textOf(event);
    });
  }

  delete(handle: number, stream: string): Promise<string> {
    return telling(async () => {
      await this.#at(handle).deleteStream(stream);
      this.#deleted.add(stream);
      return 'deleted';
    });
  }

  lastPosition(handle: number, withoutStreams: readonly string[]): Promise<string> {
    return telling(async () => {
      const position = await this.#at(handle).lastPosition({ withoutStreams });
      // Of a part of the streams it is no place to resume: in one log a deletion counts that is nothing in another.
      if (withoutStreams.length === 0) this.#heard.push(position);
      return this.#upTo(position, withoutStreams);
    });
  }

  /** The last event that is left and wanted at or before a position: a deletion has a place in one log and none in another. */
  #upTo(position: Position | undefined, without: readonly string[]): string {
    const before = this.#marks.filter(
      (mark) =>
        position !== undefined &&
        mark.position <= position &&
        !this.#deleted.has(mark.stream) &&
        !without.some((begin) => mark.stream.startsWith(begin)),
    );
    return `up to ${before.at(-1)?.place ?? 'the beginning'}`;
  }

  list(handle: number, begin: string): Promise<string> {
    return telling(async () => {
      const listed = await collect(this.#at(handle).listStreams(begin));
      const texts = listed.map(({ stream, position }) => `${stream} from ${this.#placeAt(position)}`);
      return texts.sort().join(', ');
    });
  }

  subscribe(handle: number, after: number, without: readonly string[]): Promise<string> {
    return telling(async () => {
      const from = this.#heard[after % this.#heard.length];
      const { events, position } = await catchUp(this.#at(handle), from, without);
      this.#heard.push(position);
      return `${events.map(textOf).join(', ')} ${this.#upTo(position, without)}`;
    });
  }

  live(handle: number, withoutStreams: readonly string[]): string {
    const [seen, end]: [RecordedEvent[], AbortController] = [[], new AbortController()];
    const log = this.#at(handle);
    const running = (async (): Promise<void> => {
      for await (const item of log.subscribeToAll({ after: undefined, withoutStreams, signal: end.signal }))
        if (item.kind === 'event') seen.push(item.event);
    })();
    running.catch(() => undefined);
    this.#lives.push({ without: withoutStreams, seen, end, running });
    return 'begun';
  }

  /** What the live subscriptions have delivered of what is left, once they have all of it. */
  async #endLives(): Promise<string> {
    const texts: string[] = [];
    for (const live of this.#lives) {
      const wanted = this.#marks.filter(
        ({ stream }) => !this.#deleted.has(stream) && !live.without.some((begin) => stream.startsWith(begin)),
      );
      const left = (): string[] =>
        live.seen.filter(({ stream }) => !this.#deleted.has(stream)).map((event) => textOf(event));
      await patiently(() => left().length >= wanted.length);
      live.end.abort();
      await live.running;
      texts.push(left().join(', '));
    }
    this.#lives = [];
    return texts.join('; ');
  }

  #at(handle: number): EventLog {
    const log = this.#handles[handle];
    if (log === undefined) throw new Error(`There is no handle ${handle}`);
    return log;
  }
}

const PATIENCE_MS = 20_000;

/** Until it is so; no longer than is needed to tell a slow machine from an event that does not come. */
async function patiently(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!isSo() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** An outage is told with its text: none is expected. */
const nameOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error instanceof EventLogUnavailable
    ? `${error.name}: ${error.message} ${String(error.cause)}`
    : error.name;
};

async function telling(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    return nameOf(error);
  }
}
