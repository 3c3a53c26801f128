import { createHash } from 'node:crypto';
import { appendWithRetry } from '../event-store/outage-retry.js';
import { CHAIN_START, chainOf, verifyChain } from '../event-store/linked-events.js';
import { isSwept, CHUNK_TYPE } from '../event-store/staged-data.js';
import { importMark } from '../installation/import-mark.js';
import {
  LogCorrupt,
  StreamDeleted,
  type EventLog,
  type EventSubscriber,
  type Position,
  type RecordedEvent,
} from '../ports/event-log.js';
import { throughOutages } from './through-outages.js';

/** The events do not fit the log that they are to be in; the text says what to do. */
class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
}

/** Hands out every event up to a position, in order. Continues after an outage, throws one that lasts. */
export async function readLog(
  log: EventSubscriber,
  upTo: Position | undefined,
  take: (event: RecordedEvent) => void | Promise<void>,
): Promise<void> {
  let after: Position | undefined;
  if (upTo === undefined) return;
  await throughOutages(async (moved) => {
    const { signal } = new AbortController();
    for await (const item of log.subscribeToAll({ after, signal })) {
      if (item.kind === 'caught-up' || item.event.position > upTo) return;
      await take(item.event);
      after = item.event.position;
      moved();
    }
  });
}

/** Two logs with the same text hold the same events in the same order; that of chunks, which may be swept, among others is left out. */
export class EventSum {
  readonly #inOrder = createHash('sha256');
  #chunks = 0n;
  #events = 0;

  add({ stream, revision, id, type, contentType, data, metadata }: RecordedEvent): void {
    const text = `${contentType} ${Buffer.from(metadata).toString('utf8')}`;
    const hash = chainOf(CHAIN_START, { stream, revision, id, type, data, metadata: text });
    if (isSwept(stream)) this.#chunks = BigInt.asUintN(256, this.#chunks + BigInt(`0x${hash}`));
    else this.#inOrder.update(hash);
    this.#events += 1;
  }

  get text(): string {
    return `${this.#events} ${this.#inOrder.copy().digest('hex')} ${this.#chunks.toString(16)}`;
  }
}

/** Streams from their first event on, in any mixture. Keeps one head for each. */
export class ChainCheck {
  readonly #heads = new Map<string, { readonly revision: number; readonly chain: string }>();

  /** `LogCorrupt`, naming stream and revision, where an event is missing, repeated or not what was chained. */
  take(event: RecordedEvent): void {
    const { stream, revision } = event;
    const head = this.#heads.get(stream) ?? { revision: -1, chain: CHAIN_START };
    if (revision !== head.revision + 1)
      throw new LogCorrupt(
        `Revision ${head.revision + 1} of ${stream} is missing before revision ${revision}`,
      );
    this.#heads.set(stream, { revision, chain: verifyChain(head.chain, event) });
  }

  get streams(): number {
    return this.#heads.size;
  }
}

/** An append weighs at most this, metadata included, if it holds several events. */
const maxBatchBytes = 256 * 1024;
const maxRoundBatches = 64;
const maxRoundBytes = 4 * 1024 * 1024;

interface Batch {
  readonly stream: string;
  readonly first: number;
  readonly isChunks: boolean;
  readonly events: RecordedEvent[];
  bytes: number;
}

/**
 * Appends events as they are stored, with their own ids, revisions and chain values, in the order in which they come: what is
 * under way together is of different streams, and never a chunk beside the event that may refer to it.
 */
class Copier {
  readonly #log: EventLog;
  /** After an interrupted import: how far the streams are that it has begun. */
  readonly #there: Map<string, number> | undefined;
  #round: Batch[] = [];
  #bytes = 0;

  constructor(log: EventLog, isResumed: boolean) {
    this.#log = log;
    this.#there = isResumed ? new Map() : undefined;
  }

  async take(event: RecordedEvent): Promise<void> {
    if (await this.#isThere(event)) return;
    const last = this.#round.at(-1);
    const weight = event.data.byteLength + event.metadata.byteLength;
    if (last?.stream === event.stream && last.bytes + weight <= maxBatchBytes) {
      last.events.push(event);
      last.bytes += weight;
    } else await this.#begin(event, weight);
    this.#bytes += weight;
  }

  async #begin(event: RecordedEvent, bytes: number): Promise<void> {
    const { stream, revision } = event;
    const isChunks = event.type === CHUNK_TYPE;
    const mustWait = this.#round.some((one) => one.stream === stream || one.isChunks !== isChunks);
    if (mustWait || this.#round.length >= maxRoundBatches || this.#bytes >= maxRoundBytes) await this.flush();
    this.#round.push({ stream, first: revision, isChunks, events: [event], bytes });
  }

  async #isThere({ stream, revision }: RecordedEvent): Promise<boolean> {
    if (this.#there === undefined) return false;
    if (revision === 0) {
      const last = await this.#log.readLast(stream);
      if (last !== undefined) this.#there.set(stream, last.revision);
    }
    const until = this.#there.get(stream) ?? -1;
    if (revision >= until) this.#there.delete(stream);
    return revision <= until;
  }

  async flush(): Promise<void> {
    const round = this.#round;
    this.#round = [];
    this.#bytes = 0;
    await Promise.all(round.map((batch) => this.#append(batch)));
  }

  async #append({ stream, first, events }: Batch): Promise<void> {
    const expected = first === 0 ? 'no-stream' : first - 1;
    const appending = appendWithRetry({ log: this.#log }, stream, expected, events);
    const result = await appending.catch((error: unknown) => {
      if (!(error instanceof StreamDeleted)) throw error;
      throw new ImportRefused(
        `${error.message} in the log: audit export --all, then audit import under another STREAM_PREFIX.`,
      );
    });
    if (result.outcome === 'wrong-revision')
      throw new ImportRefused(
        `The log has other events in ${stream} than what is imported: import into an empty one.`,
      );
  }
}

/** True where an interrupted import has left it. `ImportRefused` for a log with anything else in it. */
async function mark(log: EventLog, installationId: string): Promise<boolean> {
  const data = Buffer.from(JSON.stringify({ installationId }));
  const marked = await log.readLast(importMark);
  if (marked !== undefined) {
    if (data.equals(marked.data)) return true;
    throw new ImportRefused('An import of another installation into this log is not finished.');
  }
  if ((await log.lastPosition()) !== undefined)
    throw new ImportRefused('The event log is not empty: an import needs an empty one.');
  const event = { id: installationId, type: CHUNK_TYPE, contentType: 'binary', data } as const;
  await appendWithRetry({ log }, importMark, 'no-stream', [{ ...event, metadata: Buffer.from('{}') }]);
  return false;
}

interface CopyOptions {
  readonly installationId: string;
  readonly onCopied: (event: RecordedEvent) => void;
}

/**
 * Copies a whole log into an empty one, or goes on where that was interrupted. Until `finishImport` the log is marked and every
 * start on it is refused. Throws a lasting outage; call it again then.
 */
export async function importEvents(
  log: EventLog,
  events: AsyncIterable<RecordedEvent>,
  { installationId, onCopied }: CopyOptions,
): Promise<void> {
  const copier = new Copier(log, await mark(log, installationId));
  for await (const event of events) {
    await copier.take(event);
    onCopied(event);
  }
  await copier.flush();
}

async function sumOf(log: EventLog, onRead: (position: Position) => void): Promise<string> {
  const found = new EventSum();
  await readLog(log, await log.lastPosition(), (event) => {
    if (event.stream !== importMark) found.add(event);
    onRead(event.position);
  });
  return found.text;
}

/** True where an import of just this has ended, so that it may be asked for again by a caller without its answer. */
export async function isImported(
  log: EventLog,
  expected: EventSum,
  onRead: (position: Position) => void,
): Promise<boolean> {
  if ((await log.readLast(importMark)) !== undefined || (await log.lastPosition()) === undefined)
    return false;
  return (await sumOf(log, onRead)) === expected.text;
}

/** Compares what the log holds with what was to be copied, then takes the mark away. */
export async function finishImport(
  log: EventLog,
  expected: EventSum,
  onRead: (position: Position) => void,
): Promise<void> {
  if ((await sumOf(log, onRead)) !== expected.text)
    throw new ImportRefused(
      'The log does not hold what was imported, in its order: an outage or somebody else came between. Import into an empty one.',
    );
  await log.deleteStream(importMark);
}
