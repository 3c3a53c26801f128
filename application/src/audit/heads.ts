import { setImmediate } from 'node:timers/promises';
import { CHAIN_START, storedChain } from '../event-store/linked-events.js';
import { eventsToEnd } from '../event-store/log-reading.js';
import { isSwept } from '../event-store/staged-data.js';
import { foreignReadModels } from '../installation/checkpoint.js';
import type {
  DamageFinder,
  EventReader,
  EventSubscriber,
  Position,
  RecordedEvent,
  StreamAdmin,
} from '../ports/event-log.js';
import type { LiveGeneration, ReadModels, StoredDocument } from '../ports/read-models.js';
import { fromJson, type StreamDocument } from '../read-models/documents.js';
import type { Head } from './anchor.js';

const maxReadsInTurn = 128;
const pageHeads = 1_000;

export type HeadsLog = EventReader & EventSubscriber & DamageFinder & Pick<StreamAdmin, 'listStreams'>;

interface HeadsAt {
  /** They are those after the log's events up to here. */
  readonly position: Position;
  /** In byte order of the names; without streams that may be deleted. */
  readonly heads: AsyncIterable<Head>;
}

export const headOf = ({ stream, revision, metadata }: RecordedEvent): Head => ({
  stream,
  revision,
  chain: storedChain(metadata) ?? CHAIN_START,
});

async function headUpTo(log: EventReader, stream: string, position: Position): Promise<Head | undefined> {
  const last = await log.readLast(stream);
  if (last === undefined || last.position <= position) return last && headOf(last);
  for await (const event of log.readStream(stream, { backwards: true }))
    if (event.position <= position) return headOf(event);
  return undefined;
}

/** From the log alone; for a log that lists streams in the order of their names, from an index. */
export async function headsInLog(log: HeadsLog): Promise<HeadsAt | undefined> {
  const position = await log.lastPosition();
  return position === undefined ? undefined : { position, heads: listedHeads(log, position) };
}

async function* listedHeads(log: HeadsLog, position: Position): AsyncGenerator<Head> {
  let reads = 0;
  for await (const { stream, position: first } of log.listStreams('')) {
    if (isSwept(stream) || first > position) continue;
    yield* loggedHead(log, stream, position);
    reads += 1;
    if (reads % maxReadsInTurn === 0) await setImmediate();
  }
}

/**
 * From the projector's heads, for a log without such an index. Documents can be newer than the progress: the heads of streams
 * with later events, and of parked ones, are read from the log. `ForeignReadModels`, `ReadModelsBuilding`.
 */
export async function headsInReadModels(
  log: HeadsLog,
  readModels: Pick<ReadModels, 'liveGeneration'>,
): Promise<HeadsAt | undefined> {
  const live = await readModels.liveGeneration();
  const progress = await live.progress();
  const foreign = await foreignReadModels(log, progress);
  if (foreign !== undefined) throw foreign;
  const { position } = progress;
  return position === undefined ? undefined : { position, heads: projectedHeads(log, live, position) };
}

async function* projectedHeads(
  log: HeadsLog,
  live: LiveGeneration,
  position: Position,
): AsyncGenerator<Head> {
  const parked = (await live.parkedStreams()).map(({ stream }) => stream).sort();
  const later = new LaterEvents(log, position);
  for (const stream of parked) later.streams.add(stream);
  for await (const page of headPages(live)) {
    await later.readOn();
    for (const head of page) {
      const { stream } = head;
      for (const other of takenUpTo(parked, stream)) yield* loggedHead(log, other, position);
      if (later.streams.has(stream)) yield* loggedHead(log, stream, position);
      else yield head;
    }
  }
  for (const other of parked) yield* loggedHead(log, other, position);
  await live.ensureLive();
}

/** Removes the names up to this one; gives those before it. */
function takenUpTo(sorted: string[], stream: string): readonly string[] {
  const end = sorted.findIndex((one) => one >= stream);
  const taken = sorted.splice(0, end === -1 ? sorted.length : end);
  if (sorted[0] === stream) sorted.shift();
  return taken;
}

/** Each page is read before it is given: its reader may take longer than a snapshot is kept. */
export async function* headPages(live: Pick<LiveGeneration, 'findBatches'>): AsyncGenerator<readonly Head[]> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const page: Head[] = [];
    const options = { prefix: [], after: [after], limit: pageHeads } as const;
    for await (const batch of live.findBatches('streams', options)) page.push(...batch.map(headOfDocument));
    if (page.length > 0) yield page;
    after = page.at(-1)?.stream;
  }
}

const headOfDocument = ({ key: [stream], value }: StoredDocument): Head => {
  const { revision, chain } = fromJson(value) as StreamDocument;
  return { stream: String(stream), revision, chain };
};

async function* loggedHead(log: EventReader, stream: string, position: Position): AsyncGenerator<Head> {
  const head = await headUpTo(log, stream, position);
  if (head !== undefined) yield head;
}

class LaterEvents {
  readonly streams = new Set<string>();
  readonly #log: EventSubscriber;
  #after: Position;

  constructor(log: EventSubscriber, after: Position) {
    this.#log = log;
    this.#after = after;
  }

  async readOn(): Promise<void> {
    for await (const { stream, position } of eventsToEnd(this.#log, this.#after)) {
      this.streams.add(stream);
      this.#after = position;
    }
  }
}
