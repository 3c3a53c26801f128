import { CHAIN_START, storedChain, verifyChain } from '../event-store/linked-events.js';
import { loadEvent, type LoadedEvent } from '../event-store/loaded-event.js';
import { isSwept, CHUNK_TYPE } from '../event-store/staged-data.js';
import { LruCache } from '../lru-cache.js';
import { LogCorrupt, type EventReader, type RecordedEvent } from '../ports/event-log.js';
import { SetEventParser, readFullElement } from '@rollcall/employee-lists/set';

const maxKnownStreams = 10_000;

/** Verifies events one by one, in the order of positions from any on. Reads the event before one whose stream it has forgotten. */
export class EventVerifier {
  readonly #log: EventReader;
  readonly #chains = new LruCache<string, { readonly revision: number; readonly chain: string }>({
    most: maxKnownStreams,
  });

  constructor(log: EventReader) {
    this.#log = log;
  }

  /** `LogCorrupt` where a revision is missing, the chain is broken, or data and its chunks do not fit. */
  async take(event: RecordedEvent): Promise<void> {
    const { stream, revision } = event;
    const before = await this.#chainBefore(stream, revision);
    // The next event is measured by what this one says of itself; none fits behind one without a chain value.
    this.#chains.set(stream, { revision, chain: storedChain(event.metadata) ?? '' });
    if (before === undefined) return;
    verifyChain(before, event);
    if (event.type !== CHUNK_TYPE) await checkData(loadEvent(this.#log, event));
  }

  /** Undefined in a stream that was deleted meanwhile. */
  async #chainBefore(stream: string, revision: number): Promise<string | undefined> {
    if (revision === 0) return CHAIN_START;
    const known = this.#chains.get(stream);
    if (known?.revision === revision - 1) return known.chain;
    for await (const before of this.#log.readStream(stream, { from: revision - 1, limit: 1 }))
      if (before.revision === revision - 1) return storedChain(before.metadata) ?? '';
    if (await this.#wasDeleted(stream)) return undefined;
    throw new LogCorrupt(`The event at revision ${revision - 1} of ${stream} is missing`);
  }

  async #wasDeleted(stream: string): Promise<boolean> {
    return isSwept(stream) && (await this.#log.readLast(stream)) === undefined;
  }
}

const maxWholeBytes = 4 * 1024 * 1024;

/** Checks an event's data against the catalogue; a large employee set element by element, in bounded memory. A promise where it is read. */
export function checkData(event: LoadedEvent): unknown {
  if (event.name === 'EmployeeSetReplaced' && event.size > maxWholeBytes) return checkElements(event);
  return event.inline ? event.inline.json() : event.json();
}

async function checkElements(event: LoadedEvent): Promise<void> {
  const parser = new SetEventParser(
    (kind, bytes, start, end) => void readFullElement(kind, bytes, start, end),
  );
  for await (const chunk of event.chunks()) parser.push(chunk);
  parser.finish();
}
