import { CHAIN_START, splitMetadata, verifyChain } from '../event-store/chain.js';
import { eventData, loadEvent, type LoadedEvent } from '../event-store/loaded-event.js';
import {
  LogCorrupt,
  type DamageFinder,
  type EventReader,
  type EventSubscriber,
  type Position,
  type RecordedEvent,
  type StreamFinding,
} from '../ports/event-log.js';
import { isSwept } from '../event-store/projected.js';
import { CHUNK_TYPE, readStaged } from '../event-store/staged-data.js';
import { checkData } from './check-data.js';
import { endedOperation } from '../imports/ended-operation.js';
import { isOutage, problemOf } from '../ports/problems.js';
import type { Sleep } from '../timers.js';
import { throughOutages } from './through-outages.js';

/** What was found: how much is whole, or the first event that is not. */
export type LogVerdict =
  | {
      readonly kind: 'whole';
      readonly streams: number;
      readonly events: number;
      readonly pieces: number;
      /** What others have set on streams, and hides nothing. */
      readonly notices: readonly StreamNotice[];
    }
  | { readonly kind: 'broken'; readonly stream: string; readonly revision: number; readonly problem: string };

export type StreamNotice = Pick<StreamFinding, 'stream' | 'problem'>;

type Broken = Extract<LogVerdict, { kind: 'broken' }>;

export interface VerifyLogOptions {
  /** Told of each event's position once it is verified. */
  readonly onVerified?: (position: Position) => void;
  readonly sleep?: Sleep;
}

interface StreamSoFar {
  readonly revision: number;
  readonly chain: string;
  readonly recordedAt: string;
}

/**
 * Reads the whole log once, from its beginning to its present end, and recomputes every chain value, chunks included.
 * Revisions have no gap and `recordedAt` never goes back within a stream; every event is in the catalogue and fits it;
 * what a reference to staged data leads to agrees with it in count, bytes and SHA-256, and so does the payload of a queued
 * import, which may only be gone once the import has ended. No value is ever named. After an outage it goes on behind its last
 * event; one that lasts is thrown. That the newest events were cut off cannot be seen: what is left is whole.
 */
export async function verifyLog(
  log: EventReader & EventSubscriber & DamageFinder,
  { onVerified, sleep }: VerifyLogOptions = {},
): Promise<LogVerdict> {
  const found = await throughOutages(() => foundDamage(log), sleep);
  if ('kind' in found) return found;
  const audit = new Audit(log, found.notices);
  let after: Position | undefined;
  return throughOutages(async (moved) => {
    const { signal } = new AbortController();
    for await (const item of log.subscribeToAll({ after, signal })) {
      if (item.kind === 'caught-up') break;
      const broken = await verified(audit, item.event);
      if (broken !== undefined) return broken;
      after = item.event.position;
      moved();
      onVerified?.(after);
    }
    return (await audit.compareEnds()) ?? audit.verdict();
  }, sleep);
}

/** The first of all that others have done to streams, which events alone do not show; or what does no harm. */
async function foundDamage(
  log: DamageFinder,
): Promise<Broken | { readonly notices: readonly StreamNotice[] }> {
  const notices: StreamNotice[] = [];
  for await (const { stream, problem, kind } of log.findDamage?.() ?? []) {
    if (kind !== 'notice') return { kind: 'broken', stream, revision: 0, problem };
    notices.push({ stream, problem });
  }
  return { notices };
}

async function verified(audit: Audit, event: RecordedEvent): Promise<Broken | undefined> {
  try {
    await audit.take(event);
    return undefined;
  } catch (error) {
    if (isOutage(error)) throw error;
    const { stream, revision } = event;
    return { kind: 'broken', stream, revision, problem: problemOf(error) };
  }
}

class Audit {
  readonly #log: EventReader;
  readonly #notices: readonly StreamNotice[];
  readonly #streams = new Map<string, StreamSoFar>();
  /** By operation: queued imports whose payload is missing or another one. */
  readonly #withoutPayload = new Map<string, Broken & { readonly payload: string }>();
  #events = 0;
  #pieces = 0;

  constructor(log: EventReader, notices: readonly StreamNotice[]) {
    this.#log = log;
    this.#notices = notices;
  }

  /** Changes nothing where it throws: the same event may come again. */
  async take(event: RecordedEvent): Promise<void> {
    const next = this.#verifyNext(event);
    const isChunk = event.type === CHUNK_TYPE;
    if (!isChunk) await this.#verifyData(event);
    this.#streams.set(event.stream, next);
    if (isChunk) this.#pieces += 1;
    else this.#events += 1;
  }

  async #verifyData(event: RecordedEvent): Promise<void> {
    const loaded = loadEvent(this.#log, event);
    // Staged data is verified while it is read.
    await checkData(loaded);
    if (loaded.name === 'ImportQueued') await this.#checkPayload(loaded);
    const ended = endedOperation(event);
    if (ended !== undefined) await this.#end(ended);
  }

  /** What a reader of each stream is given begins and ends as the whole log has it. */
  async compareEnds(): Promise<Broken | undefined> {
    for (const [stream, { revision }] of this.#streams) {
      if (isSwept(stream)) continue;
      const problem = await this.#endsProblem(stream, revision);
      if (problem !== undefined) return { kind: 'broken', stream, revision: 0, problem };
    }
    return undefined;
  }

  async #endsProblem(stream: string, revision: number): Promise<string | undefined> {
    try {
      const last = await this.#log.readLast(stream);
      if (last === undefined || last.revision < revision)
        return `the stream ends before revision ${revision}, which the log has`;
      for await (const first of this.#log.readStream(stream, { limit: 1 }))
        if (first.revision !== 0) return `the stream begins at revision ${first.revision}`;
      return undefined;
    } catch (error) {
      if (isOutage(error)) throw error;
      return problemOf(error);
    }
  }

  verdict(): LogVerdict {
    for (const { payload: _, ...broken } of this.#withoutPayload.values()) return broken;
    const counts = { streams: this.#streams.size, events: this.#events, pieces: this.#pieces };
    return { kind: 'whole', ...counts, notices: this.#notices };
  }

  async #checkPayload(event: LoadedEvent): Promise<void> {
    const { operationId, payload } = await eventData(event, 'ImportQueued');
    const pieces = readStaged(this.#log, payload, event);
    try {
      while ((await pieces.next()).done !== true);
    } catch (error) {
      if (!(error instanceof LogCorrupt)) throw error;
      const { stream, revision } = event;
      const broken = { kind: 'broken', stream, revision, problem: error.message } as const;
      this.#withoutPayload.set(operationId, { ...broken, payload: payload.stream });
    }
  }

  /** Behind the end of an import its payload may be gone, but not another one. */
  async #end(operationId: string): Promise<void> {
    const broken = this.#withoutPayload.get(operationId);
    if (broken !== undefined && (await this.#log.readLast(broken.payload)) === undefined)
      this.#withoutPayload.delete(operationId);
  }

  #verifyNext(event: RecordedEvent): StreamSoFar {
    const before = this.#streams.get(event.stream) ?? { revision: -1, chain: CHAIN_START, recordedAt: '' };
    if (event.revision !== before.revision + 1)
      throw new LogCorrupt(`revision ${before.revision + 1} is missing`);
    const chain = verifyChain(before.chain, event);
    const recordedAt = recordedAtOf(event);
    if (recordedAt < before.recordedAt)
      throw new LogCorrupt('recordedAt is earlier than that of the event before');
    return { revision: event.revision, chain, recordedAt };
  }
}

function recordedAtOf(event: RecordedEvent): string {
  const parts = splitMetadata(event.metadata);
  const metadata: unknown = JSON.parse(parts?.metadata ?? 'null');
  if (typeof metadata === 'object' && metadata !== null && 'recordedAt' in metadata) {
    if (typeof metadata.recordedAt === 'string') return metadata.recordedAt;
  }
  throw new LogCorrupt('the metadata has no recordedAt');
}
