import {
  CHAIN_START,
  LogCorrupt,
  splitMetadata,
  verifyChain,
  type DocumentWrite,
  type EventReader,
  type ReadModelReader,
  type RecordedEvent,
} from '@rollcall/application/read';
import { toJson } from './projection.js';

/** Of each stream the revision and the chain value of the last event that was projected, under the stream's name. */
const COLLECTION = 'chains';

/** How many streams are known without asking the store. */
const KNOWN_STREAMS = 20_000;

interface Head {
  readonly revision: number;
  readonly chain: string;
}

/** Events whose chain holds. */
export interface VerifiedEvents {
  /** To be written with what the events write. */
  readonly writes: readonly DocumentWrite[];
  /** To be called once they are. */
  readonly written: () => void;
}

/** Verifies that each event is the one behind the last one of its stream that was projected. */
export class StreamChains {
  readonly #log: EventReader;
  readonly #readModels: Pick<ReadModelReader, 'getMany'>;
  readonly #known = new Map<string, Head>();

  constructor({ log, readModels }: { log: EventReader; readModels: Pick<ReadModelReader, 'getMany'> }) {
    this.#log = log;
    this.#readModels = readModels;
  }

  /** The events in the log's order, with one question to the store. `LogCorrupt` where the chain of one does not hold. */
  async verify(events: readonly RecordedEvent[]): Promise<VerifiedEvents> {
    const heads = await this.#stored(events);
    const last = new Map<string, RecordedEvent>();
    for (const event of events) {
      const before = await this.#chainBefore(event, heads.get(event.stream));
      heads.set(event.stream, { revision: event.revision, chain: verifyChain(before, event) });
      last.set(event.stream, event);
    }
    const writes = [...last.values()].map((event) => writeOf(event, heads.get(event.stream)));
    return { writes, written: () => this.#keep(heads) };
  }

  /** What is known of the events' streams, but of those that begin with them. */
  async #stored(events: readonly RecordedEvent[]): Promise<Map<string, Head>> {
    const heads = new Map<string, Head>();
    const asked = new Set<string>();
    for (const { stream, revision } of events) {
      const known = this.#known.get(stream);
      if (known !== undefined) heads.set(stream, known);
      else if (revision > 0) asked.add(stream);
    }
    if (asked.size === 0) return heads;
    const streams = [...asked];
    const found = await this.#readModels.getMany(
      COLLECTION,
      streams.map((stream) => [stream]),
    );
    for (const [at, stream] of streams.entries()) {
      const json = found[at];
      if (json !== undefined) heads.set(stream, headOf(stream, json));
    }
    return heads;
  }

  async #chainBefore({ stream, revision }: RecordedEvent, head: Head | undefined): Promise<string> {
    if (revision === 0) return CHAIN_START;
    if (head?.revision === revision - 1) return head.chain;
    if (head !== undefined && head.revision < revision) throw missing(stream, head.revision + 1);
    // Projected once more, or the read models are older than the chains in them.
    return this.#chainInLog(stream, revision - 1);
  }

  async #chainInLog(stream: string, from: number): Promise<string> {
    for await (const event of this.#log.readStream(stream, { from, limit: 1 })) {
      const chain = event.revision === from ? splitMetadata(event.metadata)?.chain : undefined;
      if (chain !== undefined) return chain;
    }
    throw missing(stream, from);
  }

  #keep(heads: ReadonlyMap<string, Head>): void {
    for (const [stream, head] of heads) {
      this.#known.delete(stream);
      this.#known.set(stream, head);
    }
    for (const stream of this.#known.keys()) {
      if (this.#known.size <= KNOWN_STREAMS) return;
      this.#known.delete(stream);
    }
  }
}

function headOf(stream: string, json: Uint8Array): Head {
  const head: unknown = JSON.parse(Buffer.from(json).toString('utf8'));
  if (isHead(head)) return head;
  throw new LogCorrupt(`The chain value that the read models keep of ${stream} is misshapen`);
}

const isHead = (value: unknown): value is Head =>
  typeof value === 'object' &&
  value !== null &&
  'revision' in value &&
  typeof value.revision === 'number' &&
  'chain' in value &&
  typeof value.chain === 'string';

const writeOf = ({ stream, position }: RecordedEvent, head: Head | undefined): DocumentWrite => ({
  op: 'put',
  collection: COLLECTION,
  key: [stream],
  json: toJson(head),
  origin: { position, part: 0 },
});

const missing = (stream: string, revision: number): LogCorrupt =>
  new LogCorrupt(`The event at revision ${revision} of ${stream} is missing`);
