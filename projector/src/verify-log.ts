import {
  CHAIN_START,
  loadEvent,
  LogCorrupt,
  PIECE_TYPE,
  splitMetadata,
  verifyChain,
  type EventReader,
  type EventSubscriber,
  type RecordedEvent,
} from '@rollcall/adapters';
import { checkData } from './check-data.js';
import { isOutage, problemOf } from './problems.js';

/** What was found: how much is whole, or the first event that is not. */
export type LogVerdict =
  | { readonly kind: 'whole'; readonly streams: number; readonly events: number; readonly pieces: number }
  | { readonly kind: 'broken'; readonly stream: string; readonly revision: number; readonly problem: string };

interface StreamSoFar {
  revision: number;
  chain: string;
  recordedAt: string;
}

/**
 * Reads the whole log once, from its beginning to its present end, and recomputes every chain value, pieces included.
 * Revisions have no gap and `recordedAt` never goes back within a stream; every event is in the catalogue and fits it;
 * what a reference to staged data leads to agrees with it in count, bytes and SHA-256. No value is ever named.
 */
export async function verifyLog(log: EventReader & EventSubscriber): Promise<LogVerdict> {
  const audit = new Audit(log);
  const { signal } = new AbortController();
  for await (const item of log.subscribeToAll({ after: undefined, signal })) {
    if (item.kind === 'caught-up') break;
    try {
      await audit.take(item.event);
    } catch (error) {
      if (isOutage(error)) throw error;
      const { stream, revision } = item.event;
      return { kind: 'broken', stream, revision, problem: problemOf(error) };
    }
  }
  return audit.verdict();
}

class Audit {
  readonly #log: EventReader;
  readonly #streams = new Map<string, StreamSoFar>();
  #events = 0;
  #pieces = 0;

  constructor(log: EventReader) {
    this.#log = log;
  }

  async take(event: RecordedEvent): Promise<void> {
    this.#follow(event);
    if (event.type === PIECE_TYPE) {
      this.#pieces += 1;
      return;
    }
    this.#events += 1;
    // Staged data is verified while it is read.
    await checkData(loadEvent(this.#log, event));
  }

  verdict(): LogVerdict {
    return { kind: 'whole', streams: this.#streams.size, events: this.#events, pieces: this.#pieces };
  }

  #follow(event: RecordedEvent): void {
    const before = this.#streams.get(event.stream) ?? { revision: -1, chain: CHAIN_START, recordedAt: '' };
    if (event.revision !== before.revision + 1)
      throw new LogCorrupt(`revision ${before.revision + 1} is missing`);
    before.chain = verifyChain(before.chain, event);
    before.revision = event.revision;
    const recordedAt = recordedAtOf(event);
    if (recordedAt < before.recordedAt)
      throw new LogCorrupt('recordedAt is earlier than that of the event before');
    before.recordedAt = recordedAt;
    this.#streams.set(event.stream, before);
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
