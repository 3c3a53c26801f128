import { CHAIN_START, verifyChain } from '../event-store/linked-events.js';
import { loadEvent, storedMetadata, type LoadedEvent } from '../event-store/loaded-event.js';
import {
  LogCorrupt,
  type DamageFinder,
  type EventReader,
  type EventSubscriber,
  type Position,
  type RecordedEvent,
  type StreamFinding,
} from '../ports/event-log.js';
import { isSwept, CHUNK_TYPE, readStaged } from '../event-store/staged-data.js';
import { checkData } from './event-verifier.js';
import { endedOperation } from '../imports/terminal-events.js';
import { isOutage, problemOf } from '../ports/problems.js';
import type { Sleep } from '../timers.js';
import { throughOutages } from './through-outages.js';

export type LogVerdict = {
  /** Foreign settings that hide nothing. */
  readonly notices: readonly StreamNotice[];
} & (
  | { readonly kind: 'whole'; readonly streams: number; readonly events: number; readonly chunks: number }
  | { readonly kind: 'broken'; readonly broken: readonly DamagedStream[] }
);

type StreamNotice = Pick<StreamFinding, 'stream' | 'problem'>;

export interface DamagedStream extends StreamNotice {
  readonly revision: number;
}

interface VerifyLogOptions {
  readonly onVerified?: (position: Position) => void;
  /** Each event once, in the order of the log. */
  readonly onEvent?: (event: RecordedEvent) => void;
  readonly sleep?: Sleep;
}

interface StreamSoFar {
  readonly revision: number;
  readonly chain: string;
  readonly recordedAt: string;
}

/**
 * Recomputes every chain value, and checks: no revision gap; `recordedAt` never decreases in a stream; every event fits the
 * catalogue; staged data and queued payloads match their references (after its import's end a payload may be gone).
 * Names no value. Continues after an outage, throws one that lasts. Does not notice that the newest events were cut off.
 */
export async function verifyLog(
  log: EventReader & EventSubscriber & DamageFinder,
  { onVerified, onEvent, sleep }: VerifyLogOptions = {},
): Promise<LogVerdict> {
  const audit = new Audit(log, await throughOutages(() => foundDamage(log), sleep));
  let after: Position | undefined;
  return throughOutages(async (moved) => {
    const { signal } = new AbortController();
    for await (const item of log.subscribeToAll({ after, signal })) {
      if (item.kind === 'caught-up') break;
      const later = audit.take(item.event);
      if (later !== undefined) await later;
      onEvent?.(item.event);
      after = item.event.position;
      moved();
      onVerified?.(after);
    }
    await audit.compareEnds();
    return audit.verdict();
  }, sleep);
}

interface Found {
  readonly broken: Map<string, DamagedStream>;
  readonly notices: readonly StreamNotice[];
}

/** Foreign changes that the events alone do not show. */
async function foundDamage(log: DamageFinder): Promise<Found> {
  const broken = new Map<string, DamagedStream>();
  const notices: StreamNotice[] = [];
  for await (const { stream, problem, kind } of log.findDamage?.() ?? []) {
    if (kind === 'damage') broken.set(stream, { stream, revision: 0, problem });
    else notices.push({ stream, problem });
  }
  return { broken, notices };
}

class Audit {
  readonly #log: EventReader;
  readonly #found: Found;
  readonly #streams = new Map<string, StreamSoFar>();
  /** By operation: queued imports with a missing or wrong payload. */
  readonly #withoutPayload = new Map<string, DamagedStream & { readonly payload: string }>();
  #events = 0;
  #chunks = 0;

  constructor(log: EventReader, found: Found) {
    this.#log = log;
    this.#found = found;
  }

  /** Stops at a stream's first problem. Where it throws nothing has changed: the event may come again. Undefined: done at once. */
  take(event: RecordedEvent): Promise<void> | undefined {
    const { stream, revision } = event;
    if (this.#found.broken.has(stream)) return undefined;
    const failed = (error: unknown): undefined => {
      if (isOutage(error)) throw error;
      this.#breaks({ stream, revision, problem: problemOf(error) });
    };
    try {
      return this.#verify(event)?.catch(failed);
    } catch (error) {
      return failed(error);
    }
  }

  #breaks(broken: DamagedStream): void {
    if (!this.#found.broken.has(broken.stream)) this.#found.broken.set(broken.stream, broken);
  }

  #verify(event: RecordedEvent): Promise<void> | undefined {
    const before = this.#streams.get(event.stream) ?? { revision: -1, chain: CHAIN_START, recordedAt: '' };
    const chain = nextChain(before, event);
    const loaded = event.type === CHUNK_TYPE ? undefined : loadEvent(this.#log, event);
    const { recordedAt } = loaded?.metadata ?? storedMetadata(event);
    if (recordedAt < before.recordedAt)
      throw new LogCorrupt('recordedAt is earlier than that of the event before');
    const verified = (): undefined => {
      this.#streams.set(event.stream, { revision: event.revision, chain, recordedAt });
      if (loaded === undefined) this.#chunks += 1;
      else this.#events += 1;
    };
    const later = loaded && this.#verifyData(event, loaded);
    return later === undefined ? verified() : later.then(verified);
  }

  #verifyData(event: RecordedEvent, loaded: LoadedEvent): Promise<void> | undefined {
    // Staged data is verified while it is read.
    const checked = checkData(loaded);
    const isAll = loaded.name !== 'ImportQueued' && this.#withoutPayload.size === 0;
    return isAll && !(checked instanceof Promise) ? undefined : this.#verifyPayload(event, loaded, checked);
  }

  async #verifyPayload(event: RecordedEvent, loaded: LoadedEvent, checked: unknown): Promise<void> {
    await checked;
    if (loaded.name === 'ImportQueued') await this.#checkPayload(loaded);
    const ended = endedOperation(event);
    if (ended !== undefined) await this.#end(ended);
  }

  async compareEnds(): Promise<void> {
    for (const [stream, { revision }] of this.#streams) {
      if (isSwept(stream) || this.#found.broken.has(stream)) continue;
      const problem = await this.#endsProblem(stream, revision);
      if (problem !== undefined) this.#breaks({ stream, revision: 0, problem });
    }
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
    for (const { stream, revision, problem } of this.#withoutPayload.values())
      this.#breaks({ stream, revision, problem });
    const { broken, notices } = this.#found;
    if (broken.size > 0) return { kind: 'broken', broken: [...broken.values()], notices };
    const counts = { streams: this.#streams.size, events: this.#events, chunks: this.#chunks };
    return { kind: 'whole', ...counts, notices };
  }

  async #checkPayload(event: LoadedEvent): Promise<void> {
    const { operationId, payload } = await event.data('ImportQueued');
    const chunks = readStaged(this.#log, payload, event);
    try {
      while ((await chunks.next()).done !== true);
    } catch (error) {
      if (!(error instanceof LogCorrupt)) throw error;
      const { stream, revision } = event;
      const broken = { stream, revision, problem: error.message };
      this.#withoutPayload.set(operationId, { ...broken, payload: payload.stream });
    }
  }

  /** After an import's end its payload may be gone, but not different. */
  async #end(operationId: string): Promise<void> {
    const broken = this.#withoutPayload.get(operationId);
    if (broken !== undefined && (await this.#log.readLast(broken.payload)) === undefined)
      this.#withoutPayload.delete(operationId);
  }
}

function nextChain({ revision, chain }: StreamSoFar, event: RecordedEvent): string {
  if (event.revision !== revision + 1) throw new LogCorrupt(`revision ${revision + 1} is missing`);
  return verifyChain(chain, event);
}
